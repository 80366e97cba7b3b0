//! Standard Tetris at the simulated table, the whole loop: what the robot believes is what the machine did.

#![allow(clippy::unwrap_used)]

use crate::driven::Driven;
use stackhand::belief::Event;
use stackhand::edge::simulated::SimulatedBoard;
use stackhand::message::{Frame, RelayCommand};
use stackhand::planner::Filters;
use stackhand::profile::calibration::{Calibration, Measured};
use stackhand::profile::layout::Layout;
use stackhand::robot::{OnBlame, Robot, Settings};
use stackhand::schedule::Finger;
use stackhand::time::CameraFrame;
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::machine::GameKind;
use stackhand::twin::picture::Picture;
use stackhand::twin::relay_board::DeviceSettings;
use stackhand::twin::table::{Appeared, Table, TableSettings};
use std::collections::VecDeque;
use std::sync::Arc;

/// What the machine did and what the robot believed until it had seen so many pieces.
fn play(level: u8, hard: f64, pieces: usize) -> (Vec<Appeared>, Vec<Event>) {
    let (seed, fps) = (u64::from(level), 30.0);
    let mut camera = CameraModel::new(hard, seed, fps, DEFAULT_SIZE);
    let exposure_ms = camera.exposure_ms();
    let settings = TableSettings { start_level: level, seed, fps, exposure_ms, camera_latency_ms: 100.0 };
    let game = GameKind::standard(level, seed);
    let mut table = Table::playing(&game, settings);
    let device = DeviceSettings { seed, ..DeviceSettings::default() };
    let measured = |us: i64| Measured {
        ms: (us + device.firmware_us) as f64 / 1000.0,
        spread_ms: device.contact.spread_us as f64 / 1000.0,
    };
    let [close, open] = [device.contact.operate_us, device.contact.release_us].map(measured);
    let timing = settings.data_sheet_of(&game, close, open);
    let lens_k1 = camera.flaws().radial_k1;
    let places = Calibration::new("standard", DEFAULT_SIZE, camera.corners(), 0.3);
    let calibration = Calibration { lens_k1, timing, ..places };
    let mut board = SimulatedBoard::new(device, 9600);
    let settings = Settings {
        finger: Finger::RELAY,
        start_level: level,
        wire: board.wire(),
        lead_ms: 8.0,
        restart: true,
        drops_unseen: false,
        filters: Filters::default(),
        blame: OnBlame::Pause,
    };
    let mut robot = Robot::new(&Layout::load("standard").unwrap(), &calibration, settings).unwrap();
    let (mut unsent, mut arrivals) = (VecDeque::<RelayCommand>::new(), VecDeque::<Frame>::new());
    let (mut truth, mut believed, mut spawned) = (Vec::<Appeared>::new(), Vec::new(), 0);
    while spawned < pieces {
        // Every exposure that ends before the next picture arrives is taken first.
        while arrivals.front().is_none_or(|frame| table.next_exposure_end() <= frame.time) {
            let exposure = table.expose(|poll| {
                while let Some(command) = unsent.front().copied().filter(|command| command.due <= poll) {
                    unsent.pop_front();
                    board.play(command);
                }
                board.device().polled_at(poll)
            });
            for appeared in exposure.scenes.iter().filter_map(|scene| scene.appeared) {
                if truth.last().is_none_or(|last| last.number < appeared.number) {
                    truth.push(appeared);
                }
            }
            let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(share, p)| (*share, p.as_ref())).collect();
            let image = Arc::new(camera.expose(&shown, exposure.index));
            let (index, time) = (CameraFrame(exposure.index), exposure.arrival);
            arrivals.push_back(Frame { index, time, name: None, file: None, image });
        }
        let frame = arrivals.pop_front().unwrap();
        assert!(frame.time.ms() < 300_000.0, "{spawned} pieces in five minutes");
        let events = robot.look(&frame).events;
        spawned += events.iter().filter(|event| matches!(event, Event::Spawned(_))).count();
        believed.extend(events);
        if let Some(decision) = robot.decide(frame.time) {
            unsent.retain(|command| command.due < decision.since);
            unsent.extend(decision.commands);
        }
    }
    (truth, believed)
}

#[test]
fn every_piece_lands_where_it_was_meant_to_and_is_known_as_it_came() {
    for (level, hard) in [(1, 0.5), (10, 0.3)] {
        let (truth, believed) = play(level, hard, 41);
        let spawned = believed.iter().filter_map(|event| match event {
            Event::Spawned(spawned) => Some((spawned.piece, spawned.next.unwrap(), spawned.board)),
            _ => None,
        });
        let came: Vec<_> = truth.iter().map(|appeared| (appeared.piece, appeared.next, appeared.board)).collect();
        let spawned: Vec<_> = spawned.collect();
        assert_eq!(spawned[..], came[..spawned.len()], "level {level}");
        let locked: Vec<_> = believed
            .iter()
            .filter_map(|event| match event {
                Event::Locked(locked) => Some(locked),
                _ => None,
            })
            .collect();
        assert_eq!(locked.len(), 40, "level {level}");
        assert!(locked.iter().all(|locked| locked.intended == Some(true)), "level {level}: {locked:?}");
        let lines: usize = locked.iter().map(|locked| locked.lines).sum();
        assert!(lines >= 10, "level {level}: {lines} lines");
    }
}
