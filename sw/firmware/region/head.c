// SPDX-License-Identifier: Apache-2.0
// The head of a language model: it gives a token's embedding to the first block, and takes the
// residual of the last one to logits. The greatest logit is the next token, which goes on by itself
// as far as the command says. Tile (0, 0) takes the host's commands and reports to it.
#include "region.h"

OW_FLOW(logits, answer, host, report);
const struct ow_flow* const region_flows[OW_REGION_FLOWS] = {&row,  &up,     &command, &join, &next,
                                                             &left, &logits, &answer,  &host};

// The greatest logit of some columns.
struct best {
  uint32_t value;  // fp32
  uint32_t token;
};

static int asked;  // by the host

static const struct ow_command* host_command(void) {
  return (const struct ow_command*)(uintptr_t)entries[OW_WORDS_COMMAND].address;
}

static void more(void);
OW_TASK(host_asked) {
  asked = 1;
  more();
}

static void take_host(void) {
  asked = 0;
  LOAD(OW_DSR_COMMAND_IN, OW_WORDS_COMMAND_IN);
  LOAD(OW_DSR_COMMAND, OW_WORDS_COMMAND);
  ow_mov(OW_I32, OW_CTL(OW_DSR_COMMAND, OW_DSR_COMMAND_IN, OW_NONE, THREAD_COMMAND) |
                     OW_THEN_ACTIVATE(OW_TASK_ID(host_asked)));
}

static int busy, waits_for_inbox, is_ready;
static void begin(void);
static void found(void);

static void rest(void) {
  if (is_leader()) {
    busy = 0;
    more();
  } else {
    take_command();
  }
}

// For logits. A token that begins changes nothing of it.
static void get_ready(void) {
  is_ready = 1;
  arm_a(&parameters.logits, 1, found);
  if (my_column > 0) return;
  LOAD_GROUP(NORM);
  LOAD(OW_DSR_SENT, OW_WORDS_NORM + OW_NORM_NORMAL - OW_NORM_FIRST);
  LOAD(OW_DSR_SENT_TO, OW_WORDS_HEAD_NORMAL_OUT);
}

void start(void) {
  if (is_leader()) take_host();
  get_ready();
  rest();
}

void command_there(void) {
  waits_for_inbox = my_column == 0 && !(now.what & OW_COMMAND_EMBED) && !inbox_full;
  if (!waits_for_inbox) begin();
}

void inbox_there(void) {
  if (is_leader()) {
    more();
  } else if (waits_for_inbox) {
    waits_for_inbox = 0;
    begin();
  }
}

// Tile (0, 0), if it rests. A token that is under way goes before one that the host wants to begin.
static void more(void) {
  if (busy) return;
  if (inbox_full) {
    lead(came_with());
  } else if (asked) {
    lead(host_command());
    take_host();
  } else {
    return;
  }
  busy = 1;
  begin();
}

static void tell_host(const struct ow_command* of, uint32_t token) {
  ow_push(report.out, of->what);
  ow_push(report.out, of->position);
  ow_push(report.out, of->last);
  ow_push(report.out, token);
}

// The embedding goes along the row to column 0, and on to the first block.
static void embed(void) {
  const uint32_t columns = parameters.columns, owner = now.token % columns;
  if (my_column > owner) return;
  LOAD_GROUP(EMBED);
  uint32_t from = R(OW_EMBED_IN);
  if (my_column == owner) {
    const uint32_t place = now.token / columns, pass = place / parameters.outputs;
    from = R(OW_EMBED_COLUMN);
    ow_dsrw(from, OW_DSR_ADDRESS,
            parameters.embedding + pass * parameters.logits.pass_bytes +
                place % parameters.outputs * 2);
  }
  if (my_column > 0) {
    ow_mov(HALF, ON(R(OW_EMBED_OUT), from, OW_NONE));
    return;
  }
  wait_next_sent();
  ow_mov(HALF, ON(R(OW_EMBED_RESIDUAL), from, OW_NONE));
  now.what &= ~OW_COMMAND_EMBED;
  if (is_leader()) put_command();
  send_next();
}

// fp32 numbers in the order of integers; both zeros are one, and a NaN is below all.
static int32_t ordered(uint32_t bits) {
  if (bits << 1 == 0) bits = 0;
  if (bits << 1 > 0xFF000000u) return INT32_MIN;
  return (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) >> 1));
}

// The first of `count` numbers that equals the greatest one.
static uint32_t first_of(const uint32_t* numbers, uint32_t count) {
  uint32_t at = 0;
  int32_t greatest = ordered(numbers[0]);
  for (uint32_t i = 1; i < count; ++i) {
    const int32_t number = ordered(numbers[i]);
    if (number > greatest) {
      greatest = number;
      at = i;
    }
  }
  return at;
}

static struct best best_of_tile(void) {
  const uint32_t tokens = parameters.tokens, whole = tokens / OW_LOGIT_ROW;
  const uint32_t* all = (const uint32_t*)(uintptr_t)parameters.logits.y;
  const uint32_t* maxima = (const uint32_t*)(uintptr_t)parameters.logit_maxima;
  uint32_t rows = whole;
  if (whole > 0) ow_rmax(OW_F32, ON(R(OW_FIND_MAXIMA), R(OW_FIND_ROWS), OW_NONE));
  if (tokens % OW_LOGIT_ROW > 0) {
    ow_rmax(OW_F32, ON(R(OW_FIND_TAIL_MAXIMUM), R(OW_FIND_TAIL), OW_NONE));
    ++rows;
  }
  int nan = 0;
  for (uint32_t i = 0; i < rows; ++i) nan |= ordered(maxima[i]) == INT32_MIN;
  const uint32_t row = first_of(maxima, rows), maximum = maxima[row];
  uint32_t at = row * OW_LOGIT_ROW;
  if (nan || maximum << 1 == 0) {  // no maximum, or one of two encodings
    at = first_of(all, tokens);
  } else {
    while (all[at] != maximum) ++at;
  }
  return (struct best){all[at], at * parameters.columns + my_column};
}

static struct best better(struct best a, struct best b) {
  const int32_t x = ordered(a.value), y = ordered(b.value);
  return x > y || (x == y && a.token < b.token) ? a : b;
}

// Two words to the core, which waits.
static struct best take_best(uint32_t in) {
  const struct ow_dsr_words* const to = &entries[OW_WORDS_FIND + OW_FIND_ANSWER - OW_FIND_FIRST];
  ow_mov(OW_I32, ON(R(OW_FIND_ANSWER), in, OW_NONE));
  return *(const volatile struct best*)(uintptr_t)to->address;
}

static void push_best(uint32_t queue, struct best best) {
  ow_push(queue, best.value);
  ow_push(queue, best.token);
}

static void found(void) {
  struct best best = {0, 0};
  is_ready = 0;
  if (is_last_row()) {
    best = best_of_tile();
    if (my_column + 1 < parameters.columns) best = better(take_best(R(OW_FIND_BEST_IN)), best);
    if (my_column > 0) {
      push_best(left.out, best);
    } else if (!is_leader()) {
      push_best(answer.out, best);
    }
    if (now.what & OW_COMMAND_LOGITS) {
      ow_mov(OW_I32, ON(R(OW_FIND_LOGITS_OUT), R(OW_FIND_LOGITS), OW_NONE));
      if (my_column + 1 < parameters.columns) {
        ow_mov(OW_I32, ON(R(OW_FIND_LOGITS_PAST), R(OW_FIND_LOGITS_IN), OW_NONE));
      }
    }
  }
  // Every tile knows whether the token's successor begins next.
  const int goes_on = now.position < now.last;
  if (is_leader()) {
    if (!is_last_row()) best = take_best(R(OW_FIND_ANSWER_IN));
    struct ow_command done;
    copy_command(&done, &now);
    if (goes_on) {
      struct ow_command next_one;
      next_one.what = now.what | OW_COMMAND_EMBED;
      next_one.position = now.position + 1;
      next_one.last = now.last;
      next_one.token = best.token;
      lead(&next_one);
    }
    tell_host(&done, best.token);
  }
  if (!goes_on) get_ready();
  if (goes_on && is_leader()) {
    begin();
  } else {
    rest();
  }
}

static void begin(void) {
  if (now.what & OW_COMMAND_EMBED) {
    embed();
    if (!is_ready) get_ready();
    rest();
  } else if (now.what & OW_COMMAND_QUIET) {
    if (my_column == 0) take_next();
    if (is_leader()) tell_host(&now, now.token);
    rest();
  } else {
    if (my_column == 0) {
      send_normal();
      take_next();
    }
    LOAD_GROUP(FIND);
  }
}
