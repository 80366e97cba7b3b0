//! Where everything stands in the film, px.

use super::canvas::Area;

/// Width and height.
pub const SIZE: [u32; 2] = [1280, 720];
/// The name, and at its right end the time.
pub const TITLE: Area = Area::new(24, 24, 1232, 28);
/// The camera's picture: as large as most cameras' pictures.
pub const CAMERA: Area = Area::new(24, 72, 640, 480);
/// The presses, below it.
pub const PRESSES: Area = Area::new(24, 568, 640, 128);
/// Where the picture stands if no presses were recorded: in the middle of both.
pub const CAMERA_ALONE: Area = Area::new(24, 72, 640, 624);
/// The board.
pub const BOARD: Area = Area::new(688, 72, 320, 624);
/// The next piece.
pub const NEXT: Area = Area::new(1032, 72, 224, 112);
/// The numbers above, and the log below them.
const NUMBERS_AND_LOG: Area = Area::new(1032, 200, 224, 496);
/// A row of numbers, and what is around all of them.
const NUMBERS_PX: [i32; 2] = [56, 16];
/// From box to box.
const GAP_PX: i32 = 16;

/// So many numbers, two in a row.
pub const fn numbers(count: usize) -> Area {
    let height = count.div_ceil(2) as i32 * NUMBERS_PX[0] + NUMBERS_PX[1];
    Area { height, ..NUMBERS_AND_LOG }
}

/// The log below so many numbers.
pub const fn log(count: usize) -> Area {
    let y = numbers(count).bottom() + GAP_PX;
    Area { y, height: NUMBERS_AND_LOG.bottom() - y, ..NUMBERS_AND_LOG }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stands_on_anything_else_or_leaves_the_film() {
        let film = Area::new(0, 0, SIZE[0] as i32, SIZE[1] as i32);
        for count in [4, 6] {
            check([TITLE, CAMERA, PRESSES, BOARD, NEXT, numbers(count), log(count)], film);
        }
        assert_eq!([CAMERA, PRESSES].map(|area| area.within(CAMERA_ALONE)), [CAMERA, PRESSES]);
    }

    fn check(all: [Area; 7], film: Area) {
        for (i, a) in all.iter().enumerate() {
            assert_eq!(a.within(film), *a);
            let over = all[i + 1..].iter().filter(|b| a.within(**b).width * a.within(**b).height > 0).count();
            assert_eq!(over, 0, "{a:?}");
        }
    }
}
