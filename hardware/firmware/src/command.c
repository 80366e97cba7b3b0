#include "command.h"

#include <string.h>

// How the text after the letters reads.
enum shape {
    NOTHING,
    RELAY,      // one digit, 0 to 7
    INPUT,      // one digit, 0 to 3
    MASK,       // one to three digits, 0 to 255
    BITS,       // eight binary digits, K7 first
    FRAME_MASK, // a frame, a comma, a mask
    PAIR_MASK,  // one digit 0 to 3, a comma, a mask
    PERIOD_NS,  // 4 to 21 ms; a half period more must fit the timer's 32.7 ms
    DELAY_US,   // 0 to 20000
    SHIFT_US,   // -10000 to 10000
    TIMEOUT_MS, // 0 to 60000
    RATE,
};

struct entry {
    char letters[5];
    uint8_t shape;
    uint8_t verb;
};

static const struct entry table[] = {
    {"SK", RELAY, VERB_CLOSE},
    {"RK", RELAY, VERB_OPEN},
    {"MK", MASK, VERB_PUT},
    {"SPK", BITS, VERB_PUT},
    {"RPK", NOTHING, VERB_READ_BITS},
    {"RPK", RELAY, VERB_READ_ONE},
    {"PK", NOTHING, VERB_READ_NUMBER},
    {"RPA", NOTHING, VERB_INPUT_BITS},
    {"RPA", INPUT, VERB_INPUT_ONE},
    {"PA", NOTHING, VERB_INPUT_NUMBER},
    {"CE", NOTHING, VERB_EVENTS_CLEAR},
    {"RE", NOTHING, VERB_EVENTS_READ},
    {"REC", NOTHING, VERB_EVENTS_TAKE},
    {"IDN?", NOTHING, VERB_IDENTIFY},
    {"QA", FRAME_MASK, VERB_QUEUE_ADD},
    {"QC", NOTHING, VERB_QUEUE_CLEAR},
    {"QZ", NOTHING, VERB_QUEUE_ZERO},
    {"QF", NOTHING, VERB_QUEUE_FRAME},
    {"QS", NOTHING, VERB_QUEUE_STATE},
    {"QV", NOTHING, VERB_QUEUE_VERSION},
    {"FL", NOTHING, VERB_CLOCK_LATCH},
    {"FX", NOTHING, VERB_CLOCK_CRYSTAL},
    {"FP", PERIOD_NS, VERB_PERIOD},
    {"FP", NOTHING, VERB_PERIOD_READ},
    {"FD", DELAY_US, VERB_DELAY},
    {"FD", NOTHING, VERB_DELAY_READ},
    {"FS", SHIFT_US, VERB_SHIFT},
    {"NP", PAIR_MASK, VERB_NEVER},
    {"NP", NOTHING, VERB_NEVER_READ},
    {"HT", TIMEOUT_MS, VERB_HOST_TIMEOUT},
    {"HT", NOTHING, VERB_HOST_TIMEOUT_READ},
    {"HC", NOTHING, VERB_HOST_CHECK},
    {"BR", RATE, VERB_BAUD},
};

// What is still to be read.
struct rest {
    const char *at;
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Reads one to `digits_max` digits, up to `max`.
static bool read_number(struct rest *rest, uint8_t digits_max, uint32_t max, uint32_t *number)
{
    const char *start = rest->at;
    uint32_t value = 0;
    while (rest->at < rest->end && is_digit(*rest->at)) {
        uint8_t digit = (uint8_t)(*rest->at - '0');
        if (rest->at - start == digits_max || digit > max || value > (max - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
        rest->at++;
    }
    *number = value;
    return rest->at > start;
}

static bool read_small(struct rest *rest, uint8_t digits_max, uint8_t max, uint8_t *small)
{
    uint32_t number;
    if (!read_number(rest, digits_max, max, &number)) {
        return false;
    }
    *small = (uint8_t)number;
    return true;
}

static bool read_comma(struct rest *rest)
{
    return rest->at < rest->end && *rest->at++ == ',';
}

static bool read_bits(struct rest *rest, uint8_t *mask)
{
    uint8_t value = 0;
    for (uint8_t i = 0; i < 8; i++, rest->at++) {
        if (rest->at == rest->end || (*rest->at != '0' && *rest->at != '1')) {
            return false;
        }
        value = (uint8_t)(value << 1 | (*rest->at - '0'));
    }
    *mask = value;
    return true;
}

static bool read_within(struct rest *rest, int32_t min, int32_t max, int32_t *number)
{
    bool minus = min < 0 && rest->at < rest->end && *rest->at == '-';
    rest->at += minus;
    uint32_t value;
    if (!read_number(rest, 10, (uint32_t)max, &value)) {
        return false;
    }
    *number = minus ? -(int32_t)value : (int32_t)value;
    return *number >= min;
}

static bool is_rate(int32_t rate)
{
    return rate == 9600 || rate == 19200 || rate == 38400 || rate == 57600 || rate == 115200;
}

static bool read_argument(struct rest *rest, enum shape shape, struct command *command)
{
    switch (shape) {
    case NOTHING:
        return true;
    case RELAY:
        return read_small(rest, 1, 7, &command->small);
    case INPUT:
        return read_small(rest, 1, 3, &command->small);
    case MASK:
        return read_small(rest, 3, 255, &command->small);
    case BITS:
        return read_bits(rest, &command->small);
    case FRAME_MASK:
        return read_number(rest, 10, UINT32_MAX, &command->frame) && read_comma(rest)
            && read_small(rest, 3, 255, &command->small);
    case PAIR_MASK:
        return read_within(rest, 0, 3, &command->number) && read_comma(rest)
            && read_small(rest, 3, 255, &command->small);
    case PERIOD_NS:
        return read_within(rest, 0, 21000000, &command->number) && command->number >= 4000000;
    case DELAY_US:
        return read_within(rest, 0, 20000, &command->number);
    case SHIFT_US:
        return read_within(rest, -10000, 10000, &command->number);
    case TIMEOUT_MS:
        return read_within(rest, 0, 60000, &command->number);
    case RATE:
        return read_within(rest, 0, 115200, &command->number) && is_rate(command->number);
    }
    return false;
}

enum understood command_read(const char *text, uint8_t length, uint8_t address, struct command *command)
{
    struct rest rest = {text, text + length};
    if (length && is_digit(*text)) {
        if (*text - '0' != address) {
            return COMMAND_OTHERS;
        }
        rest.at++;
    } else if (address) {
        return COMMAND_OTHERS;
    }
    uint8_t letters = 0;
    while (rest.at + letters < rest.end && ((rest.at[letters] >= 'A' && rest.at[letters] <= 'Z') || rest.at[letters] == '?')) {
        letters++;
    }
    const char *argument = rest.at + letters;
    for (uint8_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct entry *entry = &table[i];
        if (strlen(entry->letters) != letters || memcmp(entry->letters, rest.at, letters) != 0) {
            continue;
        }
        struct rest after = {argument, rest.end};
        *command = (struct command){.verb = (enum verb)entry->verb};
        if (read_argument(&after, (enum shape)entry->shape, command) && after.at == after.end) {
            return COMMAND_GOOD;
        }
    }
    return COMMAND_UNKNOWN;
}
