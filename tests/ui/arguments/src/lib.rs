//! [`compiler!`], for the test of the compile-fail cases.

use proc_macro::{Literal, TokenStream, TokenTree};

/// Expands to a text: the compiler that compiles the caller, and the arguments by which it finds the caller's
/// dependencies, one a line.
///
/// ```text
/// /usr/bin/rustc
/// -L
/// dependency=/crud/target/debug/deps
/// --extern
/// crud_runtime=/crud/target/debug/deps/libcrud_runtime-4f90979249c31555.rlib
/// ```
///
/// With these, a program compiles a file against dependencies that exist. Cargo would build them again, in another
/// target directory, and does not say which of a directory's files belong to one set of features.
#[proc_macro]
pub fn compiler(_: TokenStream) -> TokenStream {
    // A macro runs in the compiler's process, or in that of its wrapper, which gets the compiler's path first.
    let mut arguments = std::env::args().peekable();
    let mut kept: Vec<String> = arguments.next().into_iter().collect();
    if let Some(compiler) = arguments.next_if(|argument| !argument.starts_with('-')) {
        kept = vec![compiler];
    }
    while let Some(argument) = arguments.next() {
        if matches!(argument.as_str(), "-L" | "--extern") {
            kept.push(argument);
            kept.extend(arguments.next());
        }
    }
    TokenTree::from(Literal::string(&kept.join("\n"))).into()
}
