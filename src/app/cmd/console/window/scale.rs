//! The picture in a window of any size: as large as whole pixels allow, in the middle, black around it.

use crate::twin::picture::{COLOURS, HEIGHT_PX, Picture, WIDTH_PX};

/// Draws the picture into a window of `width` × `height` pixels, row by row, each 0x00RRGGBB. A window that is too small
/// shows the picture's middle.
pub fn draw(picture: &Picture, [width, height]: [usize; 2], into: &mut [u32]) {
    into.fill(0);
    let zoom = (width / WIDTH_PX).min(height / HEIGHT_PX).max(1);
    let columns = spread(width, WIDTH_PX, zoom);
    let rows = spread(height, HEIGHT_PX, zoom);
    for (line, row) in into.chunks_exact_mut(width.max(1)).zip(rows) {
        let Some(row) = row else { continue };
        let pixels = &picture.pixels()[row * WIDTH_PX..(row + 1) * WIDTH_PX];
        for (pixel, column) in line.iter_mut().zip(&columns) {
            let Some(column) = *column else { continue };
            let [r, g, b] = COLOURS[usize::from(pixels[column] & 63)];
            *pixel = u32::from_be_bytes([0, r, g, b]);
        }
    }
}

/// For each pixel along one side of the window, the picture's pixel that it shows.
fn spread(window: usize, picture: usize, zoom: usize) -> Vec<Option<usize>> {
    let margin = (window as isize - (picture * zoom) as isize).div_euclid(2);
    let at = |i: usize| usize::try_from((i as isize - margin).div_euclid(zoom as isize)).ok();
    (0..window).map(|i| at(i).filter(|&n| n < picture)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twin::picture;
    use crate::twin::reference::{Reference, Shown};

    fn drawn(size: [usize; 2]) -> (Picture, Vec<u32>) {
        let mut picture = Picture::new();
        picture::draw(&Reference { shown: Shown::Full, level: 3 }.view(), &mut picture);
        let mut window = vec![7; size[0] * size[1]];
        draw(&picture, size, &mut window);
        (picture, window)
    }

    fn colour(picture: &Picture, x: usize, y: usize) -> u32 {
        let [r, g, b] = COLOURS[usize::from(picture.pixels()[y * WIDTH_PX + x])];
        u32::from_be_bytes([0, r, g, b])
    }

    #[test]
    fn every_pixel_becomes_a_square_in_the_middle() {
        let size = [2 * WIDTH_PX + 11, 2 * HEIGHT_PX + 300];
        let (picture, window) = drawn(size);
        let at = |x: usize, y: usize| window[y * size[0] + x];
        for (x, y) in [(0, 0), (255, 239), (100, 50), (103, 57)] {
            let expected = colour(&picture, x, y);
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                assert_eq!(at(5 + 2 * x + dx, 150 + 2 * y + dy), expected);
            }
        }
        assert_eq!([at(4, 300), at(2 * 256 + 5, 300), at(100, 149), at(100, 150 + 480)], [0; 4]);
    }

    #[test]
    fn windows_too_small_or_without_area_show_what_they_can() {
        let (picture, window) = drawn([56, 40]);
        assert_eq!(window[0], colour(&picture, 100, 100));
        assert_eq!(window[40 * 56 - 1], colour(&picture, 155, 139));
        assert!(drawn([0, 0]).1.is_empty() && drawn([1, 1]).1.len() == 1);
    }
}
