//! The pages, by plain requests and in a browser.

mod boards;
mod browser;
mod files;
mod hand;
mod mirror;
mod pages;
mod stop;
mod support;
