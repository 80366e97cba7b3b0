//! Small pictures for the time line: made when they are asked for, and kept.

use super::packet::jpeg;
use crate::file::decode_jpeg;
use std::collections::{BTreeMap, VecDeque};

/// A small picture is so wide, px.
const WIDTH: u32 = 160;
/// Small pictures that are kept, of some kB each.
const KEPT_MAX: usize = 256;

/// Those that were made lately.
#[derive(Default)]
pub struct Thumbnails {
    made: BTreeMap<usize, Vec<u8>>,
    order: VecDeque<usize>,
}

impl Thumbnails {
    /// One that was made before.
    pub fn get(&self, position: usize) -> Option<Vec<u8>> {
        self.made.get(&position).cloned()
    }

    /// Keeps one; the oldest goes.
    pub fn keep(&mut self, position: usize, small: Vec<u8>) {
        if self.made.insert(position, small).is_some() {
            return;
        }
        self.order.push_back(position);
        if self.order.len() > KEPT_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.made.remove(&oldest);
        }
    }
}

/// A JPEG's small picture, JPEG; `None` if there is no picture. Takes some ms.
pub fn small(picture: &[u8]) -> Option<Vec<u8>> {
    let image = decode_jpeg(picture).ok()?.into_rgb8();
    let height = (image.height() * WIDTH / image.width().max(1)).max(1);
    Some(jpeg(&image::imageops::thumbnail(&image, WIDTH, height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        let mut all = Thumbnails::default();
        for position in 0..KEPT_MAX + 1 {
            all.keep(position, vec![1]);
            all.keep(position, vec![2]);
        }
        assert_eq!((all.get(0), all.get(1), all.get(KEPT_MAX)), (None, Some(vec![2]), Some(vec![2])));
    }

    #[test]
    fn a_small_picture_keeps_its_shape() {
        let small = small(&jpeg(&image::RgbImage::new(640, 480))).unwrap();
        let image = decode_jpeg(&small).unwrap();
        assert_eq!([image.width(), image.height()], [WIDTH, 120]);
        assert_eq!(super::small(b""), None);
    }
}
