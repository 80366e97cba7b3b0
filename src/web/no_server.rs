//! The server of a program that was built without pages: there is none, and it says so.

use super::site::Site;
use crate::time::Clock;
use std::net::SocketAddr;
use std::sync::Arc;
use thiserror::Error;

/// Why there is no page.
#[derive(Debug, Error)]
pub enum ServerError {
    /// A program without pages.
    #[error("this program was built without pages; build it with `--features page`, or leave out --ui and --listen")]
    NotBuilt,
}

/// A running server: never one.
pub enum Server {}

impl Server {
    /// Serves nothing.
    ///
    /// # Errors
    /// Always.
    pub fn start<S: Site>(_: Arc<S>, _: Option<&str>, _: Arc<dyn Clock>) -> Result<Self, ServerError> {
        Err(ServerError::NotBuilt)
    }

    /// Nowhere.
    ///
    /// # Errors
    /// Always.
    pub fn check(_: Option<&str>) -> Result<(), ServerError> {
        Err(ServerError::NotBuilt)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        match *self {}
    }

    /// The address to open.
    pub fn url(&self) -> String {
        match *self {}
    }

    /// The same for each of this computer's addresses.
    pub fn urls(&self) -> Vec<String> {
        match *self {}
    }

    /// Whether other computers can reach it.
    pub fn is_public(&self) -> bool {
        match *self {}
    }

    /// An address that others may read.
    ///
    /// # Errors
    /// Never.
    pub fn url_for_browser(&self) -> Result<String, ServerError> {
        match *self {}
    }
}

impl Drop for Server {
    fn drop(&mut self) {}
}
