// Tests of everything that needs no processor: the commands, garbage, and the queue against a model of its own.
// Built with the address and undefined-behaviour sanitizers.
#include "board.h"
#include "line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                              \
    do {                                                   \
        if (!(condition)) {                                \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__);                  \
            fprintf(stderr, "\n");                         \
            exit(1);                                       \
        }                                                  \
    } while (0)

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % limit;
}

struct bench {
    struct board board;
    struct line line;
    uint8_t address;
    char answers[256];
    size_t answered;
};

static void start(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    board_start(&bench->board, 9600, 3000);
}

static void feed(struct bench *bench, uint8_t byte)
{
    uint8_t length;
    hand_hear(&bench->board.hand);
    enum line_state state = line_take(&bench->line, byte, &length);
    if (state == LINE_GARBLED) {
        hand_garbage(&bench->board.hand);
    }
    if (state != LINE_WHOLE) {
        return;
    }
    struct command command;
    enum understood understood = command_read(bench->line.text, length, bench->address, &command);
    if (understood == COMMAND_UNKNOWN) {
        hand_garbage(&bench->board.hand);
    }
    if (understood == COMMAND_GOOD) {
        struct answer answer;
        char text[ANSWER_LENGTH_MAX];
        board_obey(&bench->board, &command, &answer);
        uint8_t count = answer_write(&answer, text);
        CHECK(count <= ANSWER_LENGTH_MAX, "an answer of %u", count);
        if (bench->answered + count < sizeof bench->answers) {
            memcpy(bench->answers + bench->answered, text, count);
            bench->answered += count;
        }
    }
}

// Says `text` and returns the answer.
static const char *talk(struct bench *bench, const char *text)
{
    bench->answered = 0;
    for (; *text; text++) {
        feed(bench, (uint8_t)*text);
    }
    bench->answers[bench->answered] = 0;
    return bench->answers;
}

static void expect(struct bench *bench, const char *sent, const char *answer, uint8_t closed)
{
    const char *got = talk(bench, sent);
    CHECK(strcmp(got, answer) == 0, "%s answered %s instead of %s", sent, got, answer);
    CHECK(bench->board.hand.closed == closed, "%s left %u closed instead of %u", sent, bench->board.hand.closed, closed);
}

static void the_makers_commands_are_obeyed(void)
{
    struct bench bench;
    start(&bench);
    talk(&bench, "NP0,0\rNP1,0\r");
    bench.board.inputs = 0x0A;
    bench.board.hand.events = 7;
    expect(&bench, "SK0\r", "", 1);
    expect(&bench, "SK7\r", "", 129);
    expect(&bench, "RK0\r", "", 128);
    expect(&bench, "SPK00000101\r", "", 5);
    expect(&bench, "RPK\r", "00000101\r", 5);
    expect(&bench, "RPK2\r", "1\r", 5);
    expect(&bench, "RPK1\r", "0\r", 5);
    expect(&bench, "PK\r", "005\r", 5);
    expect(&bench, "MK255\r", "", 255);
    expect(&bench, "PK\r", "255\r", 255);
    expect(&bench, "MK0\r", "", 0);
    expect(&bench, "MK007\r", "", 7);
    expect(&bench, "0MK3\r", "", 3);
    expect(&bench, "\nMK4\r\n", "", 4);
    expect(&bench, "RPA\r", "1010\r", 4);
    expect(&bench, "RPA3\r", "1\r", 4);
    expect(&bench, "PA\r", "10\r", 4);
    expect(&bench, "RE\r", "00007\r", 4);
    expect(&bench, "REC\r", "00007\r", 4);
    expect(&bench, "RE\r", "00000\r", 4);
    expect(&bench, "IDN?\r", "2200\r", 4);
}

static void garbage_changes_nothing(void)
{
    static const char *const garbage[] = {
        "\r", "MK256\r", "MK999\r", "MK\r", "MK0001\r", "SK8\r", "SK9\r", "SK\r", "SPK0000012\r", "SPK000001011\r", "SPK0000010\r",
        "mk5\r", "MK5\n\r", "7SK4\r", "MK5 \r", " MK5\r", "RPA4\r", "SK12\r", "MK-1\r", "00MK5\r", "0\r", "?\r", "IDN\r",
        "MK55555555555555555555555555555555\r", "\xEF\xBF\xBDMK5\r", "QA1\r", "QA1,\r", "QA,1\r", "QA4294967296,1\r", "QA1,256\r",
        "FP3999999\r", "FP21000001\r", "FD20001\r", "FS10001\r", "FS--5\r", "NP4,3\r", "HT60001\r", "HT-1\r", "HT,1\r", "HC1\r", "WD100\r", "BR9601\r", "BR300\r",
        "QA1,1,\r", "FL1\r", "MKMK5\r", "M\x7fK5\r",
    };
    struct bench bench;
    start(&bench);
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        expect(&bench, garbage[i], "", 0);
        CHECK(bench.board.hand.waiting == 0 && bench.board.hand.late == 0, "%s was queued", garbage[i]);
    }
    expect(&bench, "MK9\rRPK\r", "00001001\r", 9);
    start(&bench);
    bench.address = 3;
    expect(&bench, "MK5\r2MK5\r0MK5\r", "", 0);
    expect(&bench, "3MK5\r", "", 5);
}

static void opposite_directions_open_everything(void)
{
    struct bench bench;
    start(&bench);
    expect(&bench, "MK16\rMK19\r", "", 0);
    expect(&bench, "SK0\rSK1\r", "", 0);
    expect(&bench, "NP\r", "003,012,000,000\r", 0);
    expect(&bench, "MK192\rNP3,192\r", "", 0);
    expect(&bench, "MK64\rSK7\r", "", 0);
    expect(&bench, "QS\r", "0000000000,000,00000,00003,00000,0\r", 0);
    // Late entries and those in the queue pass the same gate.
    expect(&bench, "QA1,12\r", "", 0);
    hand_begin_frame(&bench.board.hand);
    hand_fire(&bench.board.hand);
    CHECK(bench.board.hand.closed == 0 && bench.board.hand.refused == 4, "the queue closed opposite directions");
}

static void ten_thousand_masks_are_set_as_asked(void)
{
    struct bench bench;
    start(&bench);
    for (int i = 0; i < 10000; i++) {
        uint8_t mask = (uint8_t)random_below(256);
        bool forbidden = (mask & 3) == 3 || (mask & 12) == 12;
        char text[32];
        if (i % 2) {
            snprintf(text, sizeof text, "MK%u\r", mask);
        } else {
            char *at = text + sprintf(text, "SPK");
            for (int bit = 7; bit >= 0; bit--) {
                *at++ = (char)('0' + (mask >> bit & 1));
            }
            strcpy(at, "\r");
        }
        expect(&bench, text, "", forbidden ? 0 : mask);
    }
}

static void nothing_deafens_and_nothing_forbidden_closes(void)
{
    static const char alphabet[] = "SKRPMACEID?QFLXWBTZ0123456789,-\r\r\n ";
    static const char *const words[] = {"SK", "MK", "QA", "QC", "FL", "FX", "HT", "HC", "RPK", "SPK", "QS", "FS-", "BR", "QZ", ",", "\r", "\r"};
    // No N: a new pair might forbid what is asked at the end.
    struct bench bench;
    start(&bench);
    for (long i = 0; i < 3000000; i++) {
        switch (random_below(8)) {
        case 0:
            feed(&bench, (uint8_t)random_below(256));
            break;
        case 1:
        case 2:
            talk(&bench, words[random_below(sizeof words / sizeof *words)]);
            break;
        case 3:
            hand_tick(&bench.board.hand);
            break;
        case 4:
            hand_begin_frame(&bench.board.hand);
            break;
        case 5:
            hand_fire(&bench.board.hand);
            break;
        default:
            feed(&bench, (uint8_t)alphabet[random_below(sizeof alphabet - 1)]);
        }
        uint8_t closed = bench.board.hand.closed;
        CHECK((closed & 3) != 3 && (closed & 12) != 12, "%u is closed", closed);
        CHECK(bench.board.hand.waiting <= QUEUE_PLACES && bench.board.hand.first < QUEUE_PLACES, "the queue is broken");
        if (i % 1000 == 0) {
            feed(&bench, '\r');
            expect(&bench, "MK9\rRPK\r", "00001001\r", 9);
        }
    }
}

// The queue against a plain table of what every frame should show.
static void entries_are_closed_in_their_frames(void)
{
    enum { FRAMES = 400 };
    for (int game = 0; game < 2000; game++) {
        struct bench bench;
        struct hand *hand = &bench.board.hand;
        start(&bench);
        uint32_t origin = game % 3 == 2 ? UINT32_MAX - FRAMES - 80 : 0;
        hand->frame = origin;
        int due[FRAMES + 80];
        memset(due, -1, sizeof due);
        uint32_t last_queued = 0;
        uint8_t shows = 0;
        bool playing = false;
        unsigned late = 0;
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            hand_begin_frame(hand);
            uint32_t now = frame + 1;
            for (uint32_t n = random_below(3); n > 0; n--) {
                static const uint8_t masks[] = {0, 1, 2, 4, 128, 129, 64, 66, 0, 0};
                uint8_t mask = masks[random_below(sizeof masks)];
                char text[32];
                bool is_late = random_below(12) == 0 && now > 3;
                uint32_t at = is_late ? now - 1 - random_below(3) : (last_queued > now ? last_queued : now) + 1 + random_below(6);
                if (at >= FRAMES + 60 || hand->waiting == QUEUE_PLACES) {
                    continue;
                }
                snprintf(text, sizeof text, "QA%u,%u\r", (unsigned)(origin + at), mask);
                talk(&bench, text);
                if (is_late) {
                    late++;
                    shows &= mask;
                } else {
                    due[at] = mask;
                    last_queued = at;
                }
                CHECK(hand->closed == shows, "game %d frame %u: %u before its time", game, frame, hand->closed);
            }
            hand_fire(hand);
            if (due[now] >= 0) {
                shows = (uint8_t)due[now];
                playing = true;
            } else if (playing && last_queued < now) {
                shows = 0;
                playing = false;
            }
            CHECK(hand->closed == shows, "game %d frame %u: %u instead of %u", game, frame, hand->closed, shows);
        }
        CHECK(hand->late == late && hand->refused == 0, "game %d: %u late, %u refused", game, hand->late, hand->refused);
    }
}

static void what_may_have_been_a_release_opens(void)
{
    static const char *const troubles[] = {"QA7,\r", "QA5,1\r", "QA4,1\r", "gibberish\r", "\xff\r", "MK0\r", "QC\r", "QZ\r", "FX\r"};
    for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++) {
        struct bench bench;
        start(&bench);
        talk(&bench, "QA1,64\rQA5,0\r");
        hand_begin_frame(&bench.board.hand);
        hand_fire(&bench.board.hand);
        CHECK(bench.board.hand.closed == 64, "it does not play");
        talk(&bench, "4SK1\r\n\r");
        CHECK(bench.board.hand.closed == 64, "what is meant for others stopped it");
        expect(&bench, troubles[i], "", 0);
        CHECK(bench.board.hand.waiting == 0, "%s left the queue", troubles[i]);
    }
    struct bench bench;
    start(&bench);
    for (int i = 0; i < QUEUE_PLACES; i++) {
        char text[32];
        snprintf(text, sizeof text, "QA%d,128\r", i + 1);
        talk(&bench, text);
    }
    hand_begin_frame(&bench.board.hand);
    CHECK(bench.board.hand.waiting == QUEUE_PLACES, "%u wait", bench.board.hand.waiting);
    expect(&bench, "QA99,0\r", "", 0);
    CHECK(bench.board.hand.waiting == 0 && bench.board.hand.refused == 1, "an overflow went on playing");
}

static void silence_and_a_lost_latch_open(void)
{
    struct bench bench;
    struct hand *hand = &bench.board.hand;
    start(&bench);
    talk(&bench, "HT200\rMK1\r");
    for (int ms = 0; ms < 199; ms++) {
        hand_tick(hand);
    }
    CHECK(hand->closed == 1, "silence opened too early");
    feed(&bench, '\r');
    for (int ms = 0; ms < 199; ms++) {
        hand_tick(hand);
    }
    CHECK(hand->closed == 1, "a byte was not heard");
    hand_tick(hand);
    CHECK(hand->closed == 0 && hand->rescues == 1, "silence opened too late");
    // Open until a new command, whoever talks again; and who asks is told.
    expect(&bench, "HC\r", "00000000,00001\r", 0);
    expect(&bench, "HT\r", "00200\r", 0);
    expect(&bench, "MK6\rHC\r", "00000110,00001\r", 6);
    talk(&bench, "HT0\rMK1\r");
    for (int ms = 0; ms < 70000; ms++) {
        hand_tick(hand);
    }
    CHECK(hand->closed == 1, "a timeout that is off opened");

    talk(&bench, "FL\rQA2,1\rQA3,2\r");
    for (int frame = 0; frame < 2; frame++) {
        hand_begin_frame(hand);
        hand_fire(hand);
    }
    for (int ms = 0; ms < FRAMELESS_MS_MAX - 1; ms++) {
        hand_tick(hand);
    }
    CHECK(hand->closed == 1, "given up too early");
    hand_tick(hand);
    CHECK(hand->closed == 0 && hand->waiting == 0 && hand->rescues == 2, "a lost latch holds relays");
}

int main(void)
{
    the_makers_commands_are_obeyed();
    garbage_changes_nothing();
    opposite_directions_open_everything();
    ten_thousand_masks_are_set_as_asked();
    nothing_deafens_and_nothing_forbidden_closes();
    entries_are_closed_in_their_frames();
    what_may_have_been_a_release_opens();
    silence_and_a_lost_latch_open();
    puts("native: 8 tests passed");
    return 0;
}
