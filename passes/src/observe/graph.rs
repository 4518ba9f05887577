//! The graph of a function's blocks in the language of Graphviz, with the blocks' texts in the nodes.

use frazil_ir::petgraph_view::CfgView;
use frazil_ir::text::print_function;
use frazil_ir::{Block, EntityRef, Function, Module};
use petgraph::dot::{Config, Dot};

/// The graph of a function.
pub(super) fn graph(module: &Module, function: &Function) -> String {
    let mut text = String::new();
    // A function that a pass has broken is printed as far as it goes.
    let _ = print_function(module, function, &mut text);
    let blocks = block_texts(&text);
    let label = |_, (block, ()): (Block, &())| {
        let lines = blocks.get(block.index()).map_or("", String::as_str);
        format!("label=\"{}\" shape=box fontname=monospace", escaped(lines))
    };
    let config = [Config::NodeNoLabel, Config::EdgeNoLabel];
    let dot = Dot::with_attr_getters(CfgView::new(function), &config, &|_, _| String::new(), &label);
    format!("{dot:?}")
}

/// Lines in the label of a node: each ends with the mark for "to the left".
pub(super) fn escaped(lines: &str) -> String {
    lines.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l")
}

/// The lines of each block of a printed function.
fn block_texts(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_label = line.starts_with('b') && line.contains(':');
        match blocks.last_mut() {
            _ if is_label => blocks.push(format!("{line}\n")),
            Some(block) if line.starts_with(' ') => {
                block.push_str(line.trim_start());
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_the_text_of_their_blocks() {
        let text = "func @f(i32) -> i32 {\nb0: v1 = add i32 v0, 1\n jump b1\nb1: return v1\n}";
        let (module, functions) = frazil_ir::text::parse_module(text).expect("parses");
        let graph = graph(&module, &functions[0]);
        assert!(
            graph.contains("label=\"b0:\\lv1 = add i32 v0, 1\\ljump b1\\l\""),
            "{graph}"
        );
        assert!(graph.contains("0 -> 1"), "{graph}");
    }
}
