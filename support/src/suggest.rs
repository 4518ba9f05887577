//! The known name nearest to a mistyped one, for error messages.

/// The candidate with the fewest edits (Levenshtein's distance) from `name`, letter case not counted; `None` if all are
/// far from it.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let measured = candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(&name, &candidate.to_ascii_lowercase()), candidate));
    let (distance, candidate) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance <= candidate.chars().count() / 2).then_some(candidate)
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
    }
}
