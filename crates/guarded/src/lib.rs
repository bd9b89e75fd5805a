//! The attribute `guarded`: the bodies of a function, or of all functions of an `impl`, become closures that `crate::guard::guard`
//! runs, and they return a `PyResult`, whatever they returned before. It stands above `pyfunction`, `pymethods` and `pymodule`, so
//! that no function which Python can call is forgotten when one is added.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Lets no panic of a function, or of the functions of an `impl`, leave it.
#[proc_macro_attribute]
pub fn guarded(_: TokenStream, item: TokenStream) -> TokenStream {
    let is_impl = item.clone().into_iter().any(|tree| is_word(&tree, "impl"))
        && !item.clone().into_iter().any(|tree| is_word(&tree, "fn"));
    if !is_impl {
        return functions(item);
    }
    let within = |tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let mut inside = Group::new(Delimiter::Brace, functions(group.stream()));
            inside.set_span(group.span());
            TokenTree::Group(inside)
        }
        other => other,
    };
    item.into_iter().map(within).collect()
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident.to_string() == word)
}

fn is_sign(tree: Option<&TokenTree>, sign: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// All functions of a list of items.
fn functions(items: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = items.into_iter().collect();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < trees.len() {
        let body = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let found = trees[at..].iter().position(body).filter(|_| is_word(&trees[at], "fn"));
        let Some(length) = found else {
            out.push(trees[at].clone());
            at += 1;
            continue;
        };
        function(&trees[at..at + length], &trees[at + length], &mut out);
        at += length + 1;
    }
    out.into_iter().collect()
}

/// One function: its head, from `fn` on, and its body.
fn function(head: &[TokenTree], body: &TokenTree, out: &mut Vec<TokenTree>) {
    let is_arrow = |at: &usize| is_sign(head.get(*at), '-') && is_sign(head.get(at + 1), '>');
    let arrow = (0..head.len()).find(is_arrow).unwrap_or(head.len());
    let kind = head.get(arrow + 2..).unwrap_or(&[]);
    let is_result = kind.first().is_some_and(|tree| is_word(tree, "PyResult"));
    let mut closure: Vec<TokenTree> = trees("||");
    out.extend_from_slice(&head[..arrow]);
    out.extend(trees("->"));
    if is_result {
        out.extend_from_slice(kind);
        closure.push(body.clone());
    } else {
        let kind = if kind.is_empty() { trees("()") } else { kind.to_vec() };
        out.extend(trees("::pyo3::PyResult <"));
        out.extend_from_slice(&kind);
        out.extend(trees(">"));
        // A closure of its own, since it may be left early.
        let mut inner = trees("|| ->");
        inner.extend(kind);
        inner.push(body.clone());
        let called = vec![group(Delimiter::Parenthesis, inner), group(Delimiter::Parenthesis, Vec::new())];
        closure.extend(trees("Ok"));
        closure.push(group(Delimiter::Parenthesis, called));
    }
    let mut call = trees("crate::guard::guard");
    call.push(group(Delimiter::Parenthesis, closure));
    out.push(group(Delimiter::Brace, call));
}

fn trees(code: &str) -> Vec<TokenTree> {
    code.parse::<TokenStream>().map(|stream| stream.into_iter().collect()).unwrap_or_default()
}

fn group(delimiter: Delimiter, inside: Vec<TokenTree>) -> TokenTree {
    TokenTree::Group(Group::new(delimiter, inside.into_iter().collect()))
}
