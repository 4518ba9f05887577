//! The known name nearest to a mistyped one, for error messages.

/// The candidate with the fewest edits from `name`, letter case not counted; `None` if all are far from it.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let measured = candidates
        .into_iter()
        .map(|candidate| (edits(&name, &candidate.to_lowercase()), candidate));
    let (distance, candidate) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance <= candidate.chars().count() / 2).then_some(candidate)
}

/// How many characters must be inserted, removed or replaced (Levenshtein's distance).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for column in 0..to.len() {
            let replace = diagonal + usize::from(to[column] != letter);
            diagonal = row[column + 1];
            row[column + 1] = replace.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_far_ones_are_not_offered() {
        let names = ["x86_64", "aarch64", "riscv64"];
        assert_eq!(nearest("x86-64", names), Some("x86_64"));
        assert_eq!(nearest("AArch46", names), Some("aarch64"));
        assert_eq!(nearest("sparc", names), None);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
