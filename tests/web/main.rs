//! The pages, by plain requests and in a browser.

mod boards;
mod browser;
mod files;
mod pages;
mod stop;
mod support;
