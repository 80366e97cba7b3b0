// Which relays are closed, and when that changes: the relays, the queue of (frame, mask), and everything that opens.
//
// Nothing here touches the processor or waits; the caller keeps interrupts out and puts `closed` on the pins after
// every call.
#ifndef HAND_H
#define HAND_H

#include <stdbool.h>
#include <stdint.h>

enum {
    QUEUE_PLACES = 64,
    PAIRS = 4,
};

struct queued {
    uint32_t frame;
    uint8_t mask;
};

struct hand {
    uint8_t closed;
    // Masks of which never all bits are closed together; 0 is none.
    uint8_t pairs[PAIRS];

    // The number of the running frame, and whether its entry's time has passed.
    uint32_t frame;
    bool fired;
    // What is closed was closed by the queue and opens when the queue ends.
    bool playing;
    struct queued queue[QUEUE_PLACES];
    uint8_t first;
    uint8_t waiting;

    // No byte for so long opens; 0 is off.
    uint16_t host_timeout_ms;
    uint16_t silent_ms;
    // Whether frames come from a wire that can break, and for how long none has come.
    bool latched;
    uint16_t frameless_ms;

    // Counters; they stand still at 65535.
    uint16_t late;     // entries that came after their time
    uint16_t refused;  // forbidden chords, entries out of order or over the queue's length, garbage while it plays
    uint16_t rescues;  // times that the host's silence or a lost latch opened
    // Latches, modulo 65536, as the ADR2200's event counter.
    uint16_t events;
};

// Frames may stop this long before a playing queue is given up.
enum { FRAMELESS_MS_MAX = 250 };

// All open, pairs {K0, K1} and {K2, K3}, silence of the host ends after `host_timeout_ms`.
void hand_start(struct hand *hand, uint16_t host_timeout_ms);

// Any byte arrived: somebody is there.
void hand_hear(struct hand *hand);
// Sets all relays at once and ends the queue. A forbidden chord opens all.
void hand_put(struct hand *hand, uint8_t mask);
// Opens all and empties the queue.
void hand_open(struct hand *hand);
// Adds an entry. What cannot be kept (out of order, too many) ends the queue and opens: it may have been a release.
void hand_queue(struct hand *hand, uint32_t frame, uint8_t mask);
// A line was not understood. While the queue plays it may have been a release.
void hand_garbage(struct hand *hand);
// Frame counter to 0, all open, queue empty.
void hand_zero(struct hand *hand);

// A frame begins.
void hand_begin_frame(struct hand *hand);
// The running frame's moment for its entry.
void hand_fire(struct hand *hand);
// A millisecond has passed.
void hand_tick(struct hand *hand);

#endif
