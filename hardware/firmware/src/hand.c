#include "hand.h"

#include <string.h>

static void count(uint16_t *counter)
{
    if (*counter < UINT16_MAX) {
        ++*counter;
    }
}

// The last gate: every mask passes here.
static void set(struct hand *hand, uint8_t mask)
{
    for (uint8_t i = 0; i < PAIRS; i++) {
        uint8_t pair = hand->pairs[i];
        if (pair && (mask & pair) == pair) {
            count(&hand->refused);
            mask = 0;
        }
    }
    hand->closed = mask;
}

static void empty(struct hand *hand)
{
    hand->waiting = 0;
    hand->playing = false;
}

// Takes the oldest entry from the queue.
static struct queued take(struct hand *hand)
{
    struct queued entry = hand->queue[hand->first];
    hand->first = (uint8_t)((hand->first + 1) % QUEUE_PLACES);
    hand->waiting--;
    return entry;
}

// An entry whose time has passed closes nothing, but what it opens is opened.
static void drop(struct hand *hand, uint8_t mask)
{
    count(&hand->late);
    set(hand, hand->closed & mask);
}

static bool is_past(const struct hand *hand, uint32_t frame)
{
    return frame < hand->frame || (frame == hand->frame && hand->fired);
}

void hand_start(struct hand *hand, uint16_t host_timeout_ms)
{
    memset(hand, 0, sizeof *hand);
    hand->pairs[0] = 0x03;
    hand->pairs[1] = 0x0C;
    hand->host_timeout_ms = host_timeout_ms;
}

void hand_hear(struct hand *hand)
{
    hand->silent_ms = 0;
}

void hand_put(struct hand *hand, uint8_t mask)
{
    empty(hand);
    set(hand, mask);
}

void hand_open(struct hand *hand)
{
    empty(hand);
    hand->closed = 0;
}

void hand_queue(struct hand *hand, uint32_t frame, uint8_t mask)
{
    if (is_past(hand, frame)) {
        drop(hand, mask);
        return;
    }
    uint8_t last = (uint8_t)((hand->first + hand->waiting + QUEUE_PLACES - 1) % QUEUE_PLACES);
    bool in_order = !hand->waiting || hand->queue[last].frame < frame;
    if (!in_order || hand->waiting == QUEUE_PLACES) {
        count(&hand->refused);
        hand_open(hand);
        return;
    }
    uint8_t place = (uint8_t)((hand->first + hand->waiting) % QUEUE_PLACES);
    hand->queue[place] = (struct queued){frame, mask};
    hand->waiting++;
    // A queue that still waits for its first frame is given time while it is being filled.
    if (!hand->playing) {
        hand->frameless_ms = 0;
    }
}

void hand_garbage(struct hand *hand)
{
    if (hand->waiting || hand->playing) {
        count(&hand->refused);
        hand_open(hand);
    }
}

void hand_zero(struct hand *hand)
{
    hand_open(hand);
    hand->frame = 0;
}

void hand_begin_frame(struct hand *hand)
{
    // A delay longer than the frame must not lose the frame's entry.
    if (!hand->fired) {
        hand_fire(hand);
    }
    hand->frame++;
    hand->fired = false;
    hand->frameless_ms = 0;
}

void hand_fire(struct hand *hand)
{
    hand->fired = true;
    if (hand->waiting && hand->queue[hand->first].frame == hand->frame) {
        set(hand, take(hand).mask);
        hand->playing = true;
    } else if (!hand->waiting && hand->playing) {
        hand_open(hand);
    }
}

void hand_tick(struct hand *hand)
{
    bool active = hand->closed || hand->waiting || hand->playing;
    count(&hand->silent_ms);
    count(&hand->frameless_ms);
    bool silent = hand->host_timeout_ms && hand->silent_ms >= hand->host_timeout_ms;
    bool frameless = hand->latched && (hand->waiting || hand->playing) && hand->frameless_ms >= FRAMELESS_MS_MAX;
    if (active && (silent || frameless)) {
        count(&hand->rescues);
        hand_open(hand);
    }
}
