//! The pages, by plain requests and in a browser.

mod browser;
mod pages;
mod stop;
mod support;
