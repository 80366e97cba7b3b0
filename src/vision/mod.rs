//! Reading the picture.
