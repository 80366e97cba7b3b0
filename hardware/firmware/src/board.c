#include "board.h"

#include <string.h>

enum {
    // What an ADR2200 says, so that its software goes on; `QV` tells the two apart.
    PRODUCT = 2200,
    QUEUE_VERSION = 2,
};

// One NTSC console frame: 29780.5 processor cycles at 1.789773 MHz (nesdev wiki, "Cycle reference chart").
static const uint32_t NTSC_FRAME_NS = 16639263;
// Past the two reads of a poll, far before the next.
static const uint16_t DELAY_US = 2000;

static void say(struct answer *answer, uint32_t value, uint8_t digits, uint8_t base)
{
    if (answer->count < ANSWER_FIELDS_MAX) {
        answer->fields[answer->count++] = (struct field){value, digits, base};
    }
}

void board_start(struct board *board, uint32_t baud, uint16_t host_timeout_ms)
{
    memset(board, 0, sizeof *board);
    hand_start(&board->hand, host_timeout_ms);
    board->settings = (struct settings){.period_ns = NTSC_FRAME_NS, .delay_us = DELAY_US, .baud = baud};
}

static void choose_clock(struct board *board, bool latch)
{
    hand_open(&board->hand);
    board->hand.latched = latch;
    board->settings.latch = latch;
    board->settings.changed = true;
}

static void say_state(const struct board *board, struct answer *answer)
{
    const struct hand *hand = &board->hand;
    say(answer, hand->frame, 10, 10);
    say(answer, hand->waiting, 3, 10);
    say(answer, hand->late, 5, 10);
    say(answer, hand->refused, 5, 10);
    say(answer, hand->rescues, 5, 10);
    say(answer, board->settings.latch, 1, 10);
}

void board_obey(struct board *board, const struct command *command, struct answer *answer)
{
    struct hand *hand = &board->hand;
    struct settings *settings = &board->settings;
    uint8_t small = command->small;
    answer->count = 0;
    switch (command->verb) {
    case VERB_CLOSE:
        hand_put(hand, (uint8_t)(hand->closed | 1u << small));
        break;
    case VERB_OPEN:
        hand_put(hand, (uint8_t)(hand->closed & ~(1u << small)));
        break;
    case VERB_PUT:
        hand_put(hand, small);
        break;
    case VERB_READ_BITS:
        say(answer, hand->closed, 8, 2);
        break;
    case VERB_READ_ONE:
        say(answer, hand->closed >> small & 1, 1, 2);
        break;
    case VERB_READ_NUMBER:
        say(answer, hand->closed, 3, 10);
        break;
    case VERB_INPUT_BITS:
        say(answer, board->inputs, 4, 2);
        break;
    case VERB_INPUT_ONE:
        say(answer, board->inputs >> small & 1, 1, 2);
        break;
    case VERB_INPUT_NUMBER:
        say(answer, board->inputs, 2, 10);
        break;
    case VERB_EVENTS_CLEAR:
        hand->events = 0;
        break;
    case VERB_EVENTS_READ:
        say(answer, hand->events, 5, 10);
        break;
    case VERB_EVENTS_TAKE:
        say(answer, hand->events, 5, 10);
        hand->events = 0;
        break;
    case VERB_IDENTIFY:
        say(answer, PRODUCT, 4, 10);
        break;
    case VERB_QUEUE_ADD:
        hand_queue(hand, command->frame, small);
        break;
    case VERB_QUEUE_CLEAR:
        hand_open(hand);
        break;
    case VERB_QUEUE_ZERO:
        hand_zero(hand);
        break;
    case VERB_QUEUE_FRAME:
        say(answer, hand->frame, 10, 10);
        say(answer, board->frame_us, 5, 10);
        break;
    case VERB_QUEUE_STATE:
        say_state(board, answer);
        break;
    case VERB_QUEUE_VERSION:
        say(answer, QUEUE_VERSION, 1, 10);
        break;
    case VERB_CLOCK_LATCH:
        choose_clock(board, true);
        break;
    case VERB_CLOCK_CRYSTAL:
        choose_clock(board, false);
        break;
    case VERB_PERIOD:
        settings->period_ns = (uint32_t)command->number;
        settings->changed = true;
        break;
    case VERB_PERIOD_READ:
        say(answer, settings->period_ns, 8, 10);
        break;
    case VERB_DELAY:
        settings->delay_us = (uint16_t)command->number;
        settings->changed = true;
        break;
    case VERB_DELAY_READ:
        say(answer, settings->delay_us, 5, 10);
        break;
    case VERB_SHIFT:
        settings->shift_us = (int16_t)command->number;
        settings->changed = true;
        break;
    case VERB_NEVER:
        hand->pairs[command->number] = small;
        // The new rule holds for what is closed already, too.
        if (small && (hand->closed & small) == small) {
            hand_open(hand);
        }
        break;
    case VERB_NEVER_READ:
        for (uint8_t i = 0; i < PAIRS; i++) {
            say(answer, hand->pairs[i], 3, 10);
        }
        break;
    case VERB_HOST_TIMEOUT:
        hand->host_timeout_ms = (uint16_t)command->number;
        break;
    case VERB_HOST_TIMEOUT_READ:
        say(answer, hand->host_timeout_ms, 5, 10);
        break;
    case VERB_HOST_CHECK:
        say(answer, hand->closed, 8, 2);
        say(answer, hand->rescues, 5, 10);
        break;
    case VERB_BAUD:
        settings->baud = (uint32_t)command->number;
        settings->changed = true;
        break;
    }
}

uint8_t answer_write(const struct answer *answer, char *text)
{
    uint8_t length = 0;
    for (uint8_t i = 0; i < answer->count; i++) {
        struct field field = answer->fields[i];
        if (i) {
            text[length++] = ',';
        }
        for (uint8_t place = field.digits; place-- > 0; field.value /= field.base) {
            text[length + place] = (char)('0' + field.value % field.base);
        }
        length = (uint8_t)(length + field.digits);
    }
    if (length) {
        text[length++] = '\r';
    }
    return length;
}
