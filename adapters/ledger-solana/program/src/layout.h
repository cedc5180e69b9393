// Generated from layout/*.ts by `npm run program:build`. Do not edit.
#pragma once
#include "abi.h"

enum error {
  ERROR_UNKNOWN_INSTRUCTION = 100,
  ERROR_MALFORMED_DATA = 101,
  ERROR_WRONG_ACCOUNT_COUNT = 102,
  ERROR_DUPLICATE_ACCOUNT = 103,
  ERROR_MISSING_SIGNER = 104,
  ERROR_NOT_WRITABLE = 105,
  ERROR_WRONG_PROGRAM = 106,
  ERROR_WRONG_OWNER = 107,
  ERROR_WRONG_DISCRIMINATOR = 108,
  ERROR_WRONG_CONFIG = 109,
  ERROR_WRONG_ADDRESS = 110,
  ERROR_WRONG_AUTHORITY = 111,
  ERROR_WRONG_MINT = 112,
  ERROR_WRONG_TOKEN_OWNER = 113,
  ERROR_NOT_RECEIVABLE = 114,
  ERROR_ALREADY_EXISTS = 115,
  ERROR_INVALID_CONFIG = 116,
  ERROR_INVALID_TERMS = 117,
  ERROR_INVALID_AMOUNT = 118,
  ERROR_OVERFLOW = 119,
  ERROR_WRONG_STATE = 120,
  ERROR_TOO_EARLY = 121,
  ERROR_TOO_LATE = 122,
  ERROR_EPOCH_NOT_OVER = 123,
  ERROR_EPOCH_ORDER = 124,
  ERROR_TOO_MANY_SKIPS = 125,
  ERROR_WINDOW_OPEN = 126,
  ERROR_INVALID_BATCH = 127,
  ERROR_NO_BATCH = 128,
  ERROR_SETTLED_EPOCH = 129,
  ERROR_INVALID_PROOF = 130,
  ERROR_WRONG_STATEMENT = 131,
  ERROR_INVALID_PATH = 132,
  ERROR_DUTIES_NOT_OVER = 133,
  ERROR_OPEN_ACCUSATIONS = 134,
  ERROR_INVALID_LEASE = 135,
  ERROR_PRICE_EXCEEDED = 136,
  ERROR_STAKE_TOO_SMALL = 137,
  ERROR_EXPIRED = 138,
  ERROR_RENT_UNKNOWN = 139,
  ERROR_OFFER_TOO_LOW = 140,
  ERROR_OFFER_TOO_HIGH = 141,
  ERROR_WRONG_PAYMENT = 142,
  ERROR_NOT_ANNOUNCED = 143,
};

enum instruction {
  IX_INIT_CONFIG = 0,
  IX_LOCK_ESCROW = 1,
  IX_SET_PAYEE = 2,
  IX_DELIVER = 3,
  IX_APPROVE = 4,
  IX_REFUND = 5,
  IX_RECLAIM = 6,
  IX_DISPUTE = 7,
  IX_CONTEST = 8,
  IX_DECIDE = 9,
  IX_CLAIM = 10,
  IX_SPLIT = 11,
  IX_OPEN_AGENT = 12,
  IX_SET_AGENT_ID = 13,
  IX_PAY_LEASE = 14,
  IX_ADD_STAKE = 15,
  IX_REQUEST_UNLOCK = 16,
  IX_RESUME = 17,
  IX_WITHDRAW = 18,
  IX_SUBMIT_BATCH = 19,
  IX_ANNOUNCE = 20,
  IX_RETRACT = 21,
  IX_ACCUSE = 22,
  IX_ANSWER = 23,
  IX_CONVICT = 24,
  IX_SLASH_INACTIVE = 25,
  IX_CLAIM_OWNER = 26,
};

enum event {
  EVENT_CONFIG_INITIALIZED = 0,
  EVENT_ESCROW_LOCKED = 1,
  EVENT_PAYEE_CHANGED = 2,
  EVENT_ESCROW_DELIVERED = 3,
  EVENT_ESCROW_APPROVED = 4,
  EVENT_ESCROW_REFUNDED = 5,
  EVENT_ESCROW_RECLAIMED = 6,
  EVENT_ESCROW_DISPUTED = 7,
  EVENT_ESCROW_CONTESTED = 8,
  EVENT_ESCROW_DECIDED = 9,
  EVENT_ESCROW_CLAIMED = 10,
  EVENT_ESCROW_SPLIT = 11,
  EVENT_AGENT_OPENED = 12,
  EVENT_AGENT_ID_CHANGED = 13,
  EVENT_LEASE_PAID = 14,
  EVENT_STAKE_ADDED = 15,
  EVENT_UNLOCK_REQUESTED = 16,
  EVENT_AGENT_RESUMED = 17,
  EVENT_STAKE_WITHDRAWN = 18,
  EVENT_BATCH_SUBMITTED = 19,
  EVENT_AGENT_ACCUSED = 20,
  EVENT_ACCUSATION_ANSWERED = 21,
  EVENT_ACCUSATION_VOIDED = 22,
  EVENT_AGENT_SLASHED = 23,
  EVENT_OWNER_CLAIMED = 24,
};

enum kind {
  KIND_WALLET = 0,
  KIND_CONFIG = 1,
  KIND_ESCROW = 2,
  KIND_AGENT = 3,
  KIND_ANNOUNCEMENT = 4,
  KIND_ACCUSATION = 5,
  KIND_NEW_CONFIG = 6,
  KIND_FRESH = 7,
  KIND_VAULT = 8,
  KIND_TOKEN = 9,
  KIND_MINT = 10,
  KIND_TOKEN_PROGRAM = 11,
  KIND_SYSTEM_PROGRAM = 12,
  KIND_INSTRUCTIONS_SYSVAR = 13,
  KIND_PROGRAM = 14,
  KIND_EVENT_AUTHORITY = 15,
};

#define EVENT_MARK 255
#define RING_SIZE 16
#define MAX_ACCOUNTS 13

struct batch_entry {
  u64 epoch;
  u64 submitted_at;
  u64 slot;
  u8 root[32];
  u32 count;
  u8 reserved[4];
};
_Static_assert(__builtin_offsetof(struct batch_entry, epoch) == 0, "batch_entry");
_Static_assert(__builtin_offsetof(struct batch_entry, submitted_at) == 8, "batch_entry");
_Static_assert(__builtin_offsetof(struct batch_entry, slot) == 16, "batch_entry");
_Static_assert(__builtin_offsetof(struct batch_entry, root) == 24, "batch_entry");
_Static_assert(__builtin_offsetof(struct batch_entry, count) == 56, "batch_entry");
_Static_assert(__builtin_offsetof(struct batch_entry, reserved) == 60, "batch_entry");
_Static_assert(sizeof(struct batch_entry) == 64, "batch_entry");

#define CONFIG_DISCRIMINATOR "amconfg1"
struct config {
  u8 discriminator[8];
  u8 network[32];
  u8 mint[32];
  u8 treasury[32];
  u8 treasury_ata[32];
  u8 event_authority[32];
  u8 event_bump;
  u8 reserved[7];
  u64 epoch_secs;
  u64 challenge_secs;
  u64 response_secs;
  u64 response_slots;
  u64 announce_slots;
  u64 unlock_secs;
  u64 submit_gap;
  u64 skip_limit;
  u64 inactive_epochs;
  u64 inactive_slots;
  u64 min_stake;
  u64 bounty_cap;
  u64 accuse_deposit;
  u64 answer_reward;
  u64 lease_price;
  u64 lease_max_epochs;
  u64 grace_epochs;
  u64 lead_secs;
  u64 horizon_secs;
  u64 review_min_secs;
  u64 review_max_secs;
  u64 dispute_secs;
};
_Static_assert(__builtin_offsetof(struct config, discriminator) == 0, "config");
_Static_assert(__builtin_offsetof(struct config, network) == 8, "config");
_Static_assert(__builtin_offsetof(struct config, mint) == 40, "config");
_Static_assert(__builtin_offsetof(struct config, treasury) == 72, "config");
_Static_assert(__builtin_offsetof(struct config, treasury_ata) == 104, "config");
_Static_assert(__builtin_offsetof(struct config, event_authority) == 136, "config");
_Static_assert(__builtin_offsetof(struct config, event_bump) == 168, "config");
_Static_assert(__builtin_offsetof(struct config, reserved) == 169, "config");
_Static_assert(__builtin_offsetof(struct config, epoch_secs) == 176, "config");
_Static_assert(__builtin_offsetof(struct config, challenge_secs) == 184, "config");
_Static_assert(__builtin_offsetof(struct config, response_secs) == 192, "config");
_Static_assert(__builtin_offsetof(struct config, response_slots) == 200, "config");
_Static_assert(__builtin_offsetof(struct config, announce_slots) == 208, "config");
_Static_assert(__builtin_offsetof(struct config, unlock_secs) == 216, "config");
_Static_assert(__builtin_offsetof(struct config, submit_gap) == 224, "config");
_Static_assert(__builtin_offsetof(struct config, skip_limit) == 232, "config");
_Static_assert(__builtin_offsetof(struct config, inactive_epochs) == 240, "config");
_Static_assert(__builtin_offsetof(struct config, inactive_slots) == 248, "config");
_Static_assert(__builtin_offsetof(struct config, min_stake) == 256, "config");
_Static_assert(__builtin_offsetof(struct config, bounty_cap) == 264, "config");
_Static_assert(__builtin_offsetof(struct config, accuse_deposit) == 272, "config");
_Static_assert(__builtin_offsetof(struct config, answer_reward) == 280, "config");
_Static_assert(__builtin_offsetof(struct config, lease_price) == 288, "config");
_Static_assert(__builtin_offsetof(struct config, lease_max_epochs) == 296, "config");
_Static_assert(__builtin_offsetof(struct config, grace_epochs) == 304, "config");
_Static_assert(__builtin_offsetof(struct config, lead_secs) == 312, "config");
_Static_assert(__builtin_offsetof(struct config, horizon_secs) == 320, "config");
_Static_assert(__builtin_offsetof(struct config, review_min_secs) == 328, "config");
_Static_assert(__builtin_offsetof(struct config, review_max_secs) == 336, "config");
_Static_assert(__builtin_offsetof(struct config, dispute_secs) == 344, "config");
_Static_assert(sizeof(struct config) == 352, "config");

#define ESCROW_DISCRIMINATOR "amescrw1"
struct escrow {
  u8 discriminator[8];
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 notary[32];
  u8 payee[32];
  u8 refund_to[32];
  u8 conversation[16];
  u8 terms[32];
  u8 delivery[32];
  u64 amount;
  u64 bond;
  u64 deadline;
  u64 review_secs;
  u64 locked_at;
  u64 delivered_at;
  u64 disputed_at;
  u64 provider_due;
  u64 requester_due;
  u16 dispute_bps;
  u16 offer_bps;
  u8 state;
  u8 bump;
  u8 vault_bump;
  u8 reserved[1];
};
_Static_assert(__builtin_offsetof(struct escrow, discriminator) == 0, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, config) == 8, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, requester) == 40, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, provider) == 72, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, notary) == 104, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, payee) == 136, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, refund_to) == 168, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, conversation) == 200, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, terms) == 216, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, delivery) == 248, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, amount) == 280, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, bond) == 288, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, deadline) == 296, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, review_secs) == 304, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, locked_at) == 312, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, delivered_at) == 320, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, disputed_at) == 328, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, provider_due) == 336, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, requester_due) == 344, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, dispute_bps) == 352, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, offer_bps) == 354, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, state) == 356, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, bump) == 357, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, vault_bump) == 358, "escrow");
_Static_assert(__builtin_offsetof(struct escrow, reserved) == 359, "escrow");
_Static_assert(sizeof(struct escrow) == 360, "escrow");

#define AGENT_DISCRIMINATOR "amagent1"
struct agent {
  u8 discriminator[8];
  u8 config[32];
  u8 key[32];
  u8 agent_id[32];
  u8 stake_owner[32];
  u64 stake;
  u64 start;
  u64 last;
  u64 last_at;
  u64 last_slot;
  u64 settled_epoch;
  u64 until;
  u64 requested_at;
  u64 paid_through;
  struct batch_entry ring[16];
  u32 skip_history;
  u32 open;
  u8 state;
  u8 bump;
  u8 vault_bump;
  u8 reserved[1];
  u32 payments;
};
_Static_assert(__builtin_offsetof(struct agent, discriminator) == 0, "agent");
_Static_assert(__builtin_offsetof(struct agent, config) == 8, "agent");
_Static_assert(__builtin_offsetof(struct agent, key) == 40, "agent");
_Static_assert(__builtin_offsetof(struct agent, agent_id) == 72, "agent");
_Static_assert(__builtin_offsetof(struct agent, stake_owner) == 104, "agent");
_Static_assert(__builtin_offsetof(struct agent, stake) == 136, "agent");
_Static_assert(__builtin_offsetof(struct agent, start) == 144, "agent");
_Static_assert(__builtin_offsetof(struct agent, last) == 152, "agent");
_Static_assert(__builtin_offsetof(struct agent, last_at) == 160, "agent");
_Static_assert(__builtin_offsetof(struct agent, last_slot) == 168, "agent");
_Static_assert(__builtin_offsetof(struct agent, settled_epoch) == 176, "agent");
_Static_assert(__builtin_offsetof(struct agent, until) == 184, "agent");
_Static_assert(__builtin_offsetof(struct agent, requested_at) == 192, "agent");
_Static_assert(__builtin_offsetof(struct agent, paid_through) == 200, "agent");
_Static_assert(__builtin_offsetof(struct agent, ring) == 208, "agent");
_Static_assert(__builtin_offsetof(struct agent, skip_history) == 1232, "agent");
_Static_assert(__builtin_offsetof(struct agent, open) == 1236, "agent");
_Static_assert(__builtin_offsetof(struct agent, state) == 1240, "agent");
_Static_assert(__builtin_offsetof(struct agent, bump) == 1241, "agent");
_Static_assert(__builtin_offsetof(struct agent, vault_bump) == 1242, "agent");
_Static_assert(__builtin_offsetof(struct agent, reserved) == 1243, "agent");
_Static_assert(__builtin_offsetof(struct agent, payments) == 1244, "agent");
_Static_assert(sizeof(struct agent) == 1248, "agent");

#define ANNOUNCEMENT_DISCRIMINATOR "amannou1"
struct announcement {
  u8 discriminator[8];
  u8 config[32];
  u8 accuser[32];
  u8 commitment[32];
  u64 slot;
  u8 bump;
  u8 reserved[7];
};
_Static_assert(__builtin_offsetof(struct announcement, discriminator) == 0, "announcement");
_Static_assert(__builtin_offsetof(struct announcement, config) == 8, "announcement");
_Static_assert(__builtin_offsetof(struct announcement, accuser) == 40, "announcement");
_Static_assert(__builtin_offsetof(struct announcement, commitment) == 72, "announcement");
_Static_assert(__builtin_offsetof(struct announcement, slot) == 104, "announcement");
_Static_assert(__builtin_offsetof(struct announcement, bump) == 112, "announcement");
_Static_assert(__builtin_offsetof(struct announcement, reserved) == 113, "announcement");
_Static_assert(sizeof(struct announcement) == 120, "announcement");

#define ACCUSATION_DISCRIMINATOR "amaccus1"
struct accusation {
  u8 discriminator[8];
  u8 config[32];
  u8 agent[32];
  u8 accuser[32];
  u8 id[32];
  u8 root[32];
  u64 epoch;
  u64 accused_at;
  u64 slot;
  u64 deposit;
  u32 index;
  u32 count;
  u8 bump;
  u8 reserved[7];
};
_Static_assert(__builtin_offsetof(struct accusation, discriminator) == 0, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, config) == 8, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, agent) == 40, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, accuser) == 72, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, id) == 104, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, root) == 136, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, epoch) == 168, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, accused_at) == 176, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, slot) == 184, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, deposit) == 192, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, index) == 200, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, count) == 204, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, bump) == 208, "accusation");
_Static_assert(__builtin_offsetof(struct accusation, reserved) == 209, "accusation");
_Static_assert(sizeof(struct accusation) == 216, "accusation");

#define OWNER_LINK_DISCRIMINATOR "amowner1"
struct owner_link {
  u8 discriminator[8];
  u8 config[32];
  u8 key[32];
  u8 agent_id[32];
  u8 owner[32];
  u64 claimed_at;
  u8 bump;
  u8 reserved[7];
};
_Static_assert(__builtin_offsetof(struct owner_link, discriminator) == 0, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, config) == 8, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, key) == 40, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, agent_id) == 72, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, owner) == 104, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, claimed_at) == 136, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, bump) == 144, "owner_link");
_Static_assert(__builtin_offsetof(struct owner_link, reserved) == 145, "owner_link");
_Static_assert(sizeof(struct owner_link) == 152, "owner_link");

enum { INIT_CONFIG_CONFIG, INIT_CONFIG_MINT, INIT_CONFIG_TREASURY_ATA, INIT_CONFIG_EVENT_AUTHORITY, INIT_CONFIG_PROGRAM };
struct init_config_args {
  u8 genesis_hash[32];
  u8 network_id[64];
  u8 treasury[32];
  u64 epoch_secs;
  u64 challenge_secs;
  u64 response_secs;
  u64 response_slots;
  u64 announce_slots;
  u64 unlock_secs;
  u64 submit_gap;
  u64 skip_limit;
  u64 inactive_epochs;
  u64 inactive_slots;
  u64 min_stake;
  u64 bounty_cap;
  u64 accuse_deposit;
  u64 answer_reward;
  u64 lease_price;
  u64 lease_max_epochs;
  u64 grace_epochs;
  u64 lead_secs;
  u64 horizon_secs;
  u64 review_min_secs;
  u64 review_max_secs;
  u64 dispute_secs;
} __attribute__((packed, aligned(8)));
#define INIT_CONFIG_ARGS_SIZE 304

enum { LOCK_ESCROW_REQUESTER, LOCK_ESCROW_CONFIG, LOCK_ESCROW_ESCROW, LOCK_ESCROW_VAULT, LOCK_ESCROW_SOURCE, LOCK_ESCROW_MINT, LOCK_ESCROW_TOKEN_PROGRAM, LOCK_ESCROW_SYSTEM_PROGRAM, LOCK_ESCROW_EVENT_AUTHORITY, LOCK_ESCROW_PROGRAM };
struct lock_escrow_args {
  u8 provider[32];
  u8 notary[32];
  u8 conversation[16];
  u8 terms[32];
  u64 amount;
  u64 bond;
  u64 deadline;
  u64 review_secs;
  u16 dispute_bps;
} __attribute__((packed, aligned(8)));
#define LOCK_ESCROW_ARGS_SIZE 146

enum { SET_PAYEE_PROVIDER, SET_PAYEE_CONFIG, SET_PAYEE_ESCROW, SET_PAYEE_PAYEE, SET_PAYEE_EVENT_AUTHORITY, SET_PAYEE_PROGRAM };

enum { DELIVER_PROVIDER, DELIVER_CONFIG, DELIVER_ESCROW, DELIVER_EVENT_AUTHORITY, DELIVER_PROGRAM };
struct deliver_args {
  u8 delivery[32];
} __attribute__((packed, aligned(8)));
#define DELIVER_ARGS_SIZE 32

enum { APPROVE_CONFIG, APPROVE_ESCROW, APPROVE_VAULT, APPROVE_PAYEE, APPROVE_REFUND_TO, APPROVE_REQUESTER, APPROVE_TOKEN_PROGRAM, APPROVE_EVENT_AUTHORITY, APPROVE_PROGRAM };

enum { REFUND_PROVIDER, REFUND_CONFIG, REFUND_ESCROW, REFUND_VAULT, REFUND_REFUND_TO, REFUND_REQUESTER, REFUND_TOKEN_PROGRAM, REFUND_EVENT_AUTHORITY, REFUND_PROGRAM };

enum { RECLAIM_CONFIG, RECLAIM_ESCROW, RECLAIM_VAULT, RECLAIM_REFUND_TO, RECLAIM_REQUESTER, RECLAIM_TOKEN_PROGRAM, RECLAIM_EVENT_AUTHORITY, RECLAIM_PROGRAM };

enum { DISPUTE_REQUESTER, DISPUTE_CONFIG, DISPUTE_ESCROW, DISPUTE_EVENT_AUTHORITY, DISPUTE_PROGRAM };
struct dispute_args {
  u16 offer_bps;
} __attribute__((packed, aligned(8)));
#define DISPUTE_ARGS_SIZE 2

enum { CONTEST_PROVIDER, CONTEST_CONFIG, CONTEST_ESCROW, CONTEST_EVENT_AUTHORITY, CONTEST_PROGRAM };
struct contest_args {
  u16 max_bps;
} __attribute__((packed, aligned(8)));
#define CONTEST_ARGS_SIZE 2

enum { DECIDE_NOTARY, DECIDE_CONFIG, DECIDE_ESCROW, DECIDE_EVENT_AUTHORITY, DECIDE_PROGRAM };
struct decide_args {
  u8 for_provider;
} __attribute__((packed, aligned(8)));
#define DECIDE_ARGS_SIZE 1

enum { CLAIM_CONFIG, CLAIM_ESCROW, CLAIM_VAULT, CLAIM_PAYEE, CLAIM_REFUND_TO, CLAIM_REQUESTER, CLAIM_TOKEN_PROGRAM, CLAIM_EVENT_AUTHORITY, CLAIM_PROGRAM };

enum { SPLIT_CONFIG, SPLIT_ESCROW, SPLIT_VAULT, SPLIT_PAYEE, SPLIT_REFUND_TO, SPLIT_REQUESTER, SPLIT_TOKEN_PROGRAM, SPLIT_EVENT_AUTHORITY, SPLIT_PROGRAM, SPLIT_MINT };

enum { OPEN_AGENT_KEY, OPEN_AGENT_PAYER, OPEN_AGENT_CONFIG, OPEN_AGENT_AGENT, OPEN_AGENT_SYSTEM_PROGRAM, OPEN_AGENT_EVENT_AUTHORITY, OPEN_AGENT_PROGRAM };
struct open_agent_args {
  u8 agent_id[32];
} __attribute__((packed, aligned(8)));
#define OPEN_AGENT_ARGS_SIZE 32

enum { SET_AGENT_ID_KEY, SET_AGENT_ID_CONFIG, SET_AGENT_ID_AGENT, SET_AGENT_ID_EVENT_AUTHORITY, SET_AGENT_ID_PROGRAM };
struct set_agent_id_args {
  u8 agent_id[32];
} __attribute__((packed, aligned(8)));
#define SET_AGENT_ID_ARGS_SIZE 32

enum { PAY_LEASE_PAYER, PAY_LEASE_CONFIG, PAY_LEASE_AGENT, PAY_LEASE_SOURCE, PAY_LEASE_TREASURY_ATA, PAY_LEASE_TOKEN_PROGRAM, PAY_LEASE_EVENT_AUTHORITY, PAY_LEASE_PROGRAM };
struct pay_lease_args {
  u16 epochs;
  u64 max_amount;
  u32 payments;
} __attribute__((packed, aligned(8)));
#define PAY_LEASE_ARGS_SIZE 14

enum { ADD_STAKE_STAKE_OWNER, ADD_STAKE_KEY, ADD_STAKE_CONFIG, ADD_STAKE_AGENT, ADD_STAKE_VAULT, ADD_STAKE_SOURCE, ADD_STAKE_MINT, ADD_STAKE_TOKEN_PROGRAM, ADD_STAKE_SYSTEM_PROGRAM, ADD_STAKE_EVENT_AUTHORITY, ADD_STAKE_PROGRAM };
struct add_stake_args {
  u64 amount;
  u32 payments;
} __attribute__((packed, aligned(8)));
#define ADD_STAKE_ARGS_SIZE 12

enum { REQUEST_UNLOCK_AUTHORITY, REQUEST_UNLOCK_CONFIG, REQUEST_UNLOCK_AGENT, REQUEST_UNLOCK_EVENT_AUTHORITY, REQUEST_UNLOCK_PROGRAM };

enum { RESUME_KEY, RESUME_STAKE_OWNER, RESUME_CONFIG, RESUME_AGENT, RESUME_EVENT_AUTHORITY, RESUME_PROGRAM };

enum { WITHDRAW_STAKE_OWNER, WITHDRAW_CONFIG, WITHDRAW_AGENT, WITHDRAW_VAULT, WITHDRAW_DESTINATION, WITHDRAW_TOKEN_PROGRAM, WITHDRAW_EVENT_AUTHORITY, WITHDRAW_PROGRAM };

enum { SUBMIT_BATCH_KEY, SUBMIT_BATCH_CONFIG, SUBMIT_BATCH_AGENT, SUBMIT_BATCH_EVENT_AUTHORITY, SUBMIT_BATCH_PROGRAM };
struct submit_batch_args {
  u64 epoch;
  u32 count;
  u8 root[32];
} __attribute__((packed, aligned(8)));
#define SUBMIT_BATCH_ARGS_SIZE 44

enum { ANNOUNCE_ACCUSER, ANNOUNCE_CONFIG, ANNOUNCE_ANNOUNCEMENT, ANNOUNCE_SYSTEM_PROGRAM };
struct announce_args {
  u8 commitment[32];
} __attribute__((packed, aligned(8)));
#define ANNOUNCE_ARGS_SIZE 32

enum { RETRACT_ACCUSER, RETRACT_CONFIG, RETRACT_ANNOUNCEMENT };

enum { ACCUSE_ACCUSER, ACCUSE_CONFIG, ACCUSE_AGENT, ACCUSE_ANNOUNCEMENT, ACCUSE_ACCUSATION, ACCUSE_VAULT, ACCUSE_BOUNTY, ACCUSE_TREASURY_ATA, ACCUSE_SYSVAR, ACCUSE_TOKEN_PROGRAM, ACCUSE_SYSTEM_PROGRAM, ACCUSE_EVENT_AUTHORITY, ACCUSE_PROGRAM };

enum { ANSWER_ANSWERER, ANSWER_CONFIG, ANSWER_AGENT, ANSWER_ACCUSATION, ANSWER_ACCUSER, ANSWER_TREASURY, ANSWER_EVENT_AUTHORITY, ANSWER_PROGRAM };

enum { CONVICT_CONFIG, CONVICT_AGENT, CONVICT_ACCUSATION, CONVICT_ACCUSER, CONVICT_VAULT, CONVICT_BOUNTY, CONVICT_TREASURY_ATA, CONVICT_TOKEN_PROGRAM, CONVICT_EVENT_AUTHORITY, CONVICT_PROGRAM };

enum { SLASH_INACTIVE_CALLER, SLASH_INACTIVE_CONFIG, SLASH_INACTIVE_AGENT, SLASH_INACTIVE_VAULT, SLASH_INACTIVE_BOUNTY, SLASH_INACTIVE_TREASURY_ATA, SLASH_INACTIVE_TOKEN_PROGRAM, SLASH_INACTIVE_EVENT_AUTHORITY, SLASH_INACTIVE_PROGRAM };

enum { CLAIM_OWNER_PAYER, CLAIM_OWNER_CONFIG, CLAIM_OWNER_OWNER_LINK, CLAIM_OWNER_SYSVAR, CLAIM_OWNER_SYSTEM_PROGRAM, CLAIM_OWNER_EVENT_AUTHORITY, CLAIM_OWNER_PROGRAM };

struct config_initialized_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 network[32];
  u8 mint[32];
  u8 treasury[32];
} __attribute__((packed, aligned(8)));
#define CONFIG_INITIALIZED_EVENT_SIZE 136

struct escrow_locked_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u8 notary[32];
  u8 terms[32];
  u64 deadline;
  u64 review_secs;
  u16 dispute_bps;
  u64 bond;
} __attribute__((packed, aligned(8)));
#define ESCROW_LOCKED_EVENT_SIZE 218

struct payee_changed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u8 payee[32];
} __attribute__((packed, aligned(8)));
#define PAYEE_CHANGED_EVENT_SIZE 160

struct escrow_delivered_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u8 delivery[32];
} __attribute__((packed, aligned(8)));
#define ESCROW_DELIVERED_EVENT_SIZE 160

struct escrow_approved_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u64 to_provider;
  u64 to_requester;
  u64 burnt;
  u64 remaining;
  u8 payee[32];
} __attribute__((packed, aligned(8)));
#define ESCROW_APPROVED_EVENT_SIZE 192

struct escrow_refunded_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u64 to_provider;
  u64 to_requester;
  u64 burnt;
  u64 remaining;
} __attribute__((packed, aligned(8)));
#define ESCROW_REFUNDED_EVENT_SIZE 160

struct escrow_reclaimed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u64 to_provider;
  u64 to_requester;
  u64 burnt;
  u64 remaining;
} __attribute__((packed, aligned(8)));
#define ESCROW_RECLAIMED_EVENT_SIZE 160

struct escrow_disputed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u8 delivery[32];
  u16 offer_bps;
} __attribute__((packed, aligned(8)));
#define ESCROW_DISPUTED_EVENT_SIZE 162

struct escrow_contested_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u16 offer_bps;
} __attribute__((packed, aligned(8)));
#define ESCROW_CONTESTED_EVENT_SIZE 130

struct escrow_decided_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u64 to_provider;
  u64 to_requester;
  u64 burnt;
  u64 remaining;
  u8 for_provider;
} __attribute__((packed, aligned(8)));
#define ESCROW_DECIDED_EVENT_SIZE 161

struct escrow_claimed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u64 to_provider;
  u64 to_requester;
  u64 burnt;
  u64 remaining;
  u8 payee[32];
} __attribute__((packed, aligned(8)));
#define ESCROW_CLAIMED_EVENT_SIZE 192

struct escrow_split_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 requester[32];
  u8 provider[32];
  u8 conversation[16];
  u64 amount;
  u64 to_provider;
  u64 to_requester;
  u64 burnt;
  u64 remaining;
  u16 offer_bps;
} __attribute__((packed, aligned(8)));
#define ESCROW_SPLIT_EVENT_SIZE 162

struct agent_opened_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 agent_id[32];
} __attribute__((packed, aligned(8)));
#define AGENT_OPENED_EVENT_SIZE 104

struct agent_id_changed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 agent_id[32];
} __attribute__((packed, aligned(8)));
#define AGENT_ID_CHANGED_EVENT_SIZE 104

struct lease_paid_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 payer[32];
  u64 amount;
  u64 paid_through;
} __attribute__((packed, aligned(8)));
#define LEASE_PAID_EVENT_SIZE 120

struct stake_added_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 stake_owner[32];
  u64 amount;
  u64 stake;
  u64 start;
} __attribute__((packed, aligned(8)));
#define STAKE_ADDED_EVENT_SIZE 128

struct unlock_requested_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 authority[32];
  u64 until;
} __attribute__((packed, aligned(8)));
#define UNLOCK_REQUESTED_EVENT_SIZE 112

struct agent_resumed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u64 stake;
  u64 start;
} __attribute__((packed, aligned(8)));
#define AGENT_RESUMED_EVENT_SIZE 88

struct stake_withdrawn_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 stake_owner[32];
  u64 amount;
} __attribute__((packed, aligned(8)));
#define STAKE_WITHDRAWN_EVENT_SIZE 112

struct batch_submitted_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u64 epoch;
  u32 count;
  u8 root[32];
} __attribute__((packed, aligned(8)));
#define BATCH_SUBMITTED_EVENT_SIZE 116

struct agent_accused_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 accuser[32];
  u8 id[32];
  u64 epoch;
  u32 index;
} __attribute__((packed, aligned(8)));
#define AGENT_ACCUSED_EVENT_SIZE 148

struct accusation_answered_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 accuser[32];
  u8 id[32];
  u8 answerer[32];
} __attribute__((packed, aligned(8)));
#define ACCUSATION_ANSWERED_EVENT_SIZE 168

struct accusation_voided_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 accuser[32];
  u8 id[32];
} __attribute__((packed, aligned(8)));
#define ACCUSATION_VOIDED_EVENT_SIZE 136

struct agent_slashed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 beneficiary[32];
  u64 amount;
  u64 bounty;
  u64 stake;
  u64 epoch;
  u8 reason;
} __attribute__((packed, aligned(8)));
#define AGENT_SLASHED_EVENT_SIZE 137

struct owner_claimed_event {
  u8 reserved[6];
  u8 mark;
  u8 code;
  u8 config[32];
  u8 key[32];
  u8 agent_id[32];
  u8 owner[32];
} __attribute__((packed, aligned(8)));
#define OWNER_CLAIMED_EVENT_SIZE 136

#define ACCOUNT_SIGNS 64
#define ACCOUNT_WRITES 128
#define ACCOUNT_KIND 63
struct instruction_rule { u16 length; u8 tail; u8 count; u8 accounts[13]; };
static const struct instruction_rule INSTRUCTION_RULES[27] = {
  [IX_INIT_CONFIG] = {305, 0, 5, {KIND_NEW_CONFIG | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_MINT, KIND_TOKEN, KIND_FRESH, KIND_PROGRAM}},
  [IX_LOCK_ESCROW] = {147, 0, 10, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_FRESH | ACCOUNT_WRITES, KIND_FRESH | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_MINT, KIND_TOKEN_PROGRAM, KIND_SYSTEM_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_SET_PAYEE] = {1, 0, 6, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_TOKEN, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_DELIVER] = {33, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_APPROVE] = {1, 0, 9, {KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_REFUND] = {1, 0, 9, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_RECLAIM] = {1, 0, 8, {KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_DISPUTE] = {3, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_CONTEST] = {3, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_DECIDE] = {2, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_CLAIM] = {1, 0, 9, {KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_SPLIT] = {1, 0, 10, {KIND_CONFIG, KIND_ESCROW | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM, KIND_MINT | ACCOUNT_WRITES}},
  [IX_OPEN_AGENT] = {33, 0, 7, {KIND_WALLET | ACCOUNT_SIGNS, KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_FRESH | ACCOUNT_WRITES, KIND_SYSTEM_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_SET_AGENT_ID] = {33, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_PAY_LEASE] = {15, 0, 8, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_ADD_STAKE] = {13, 0, 11, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_WALLET, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_MINT, KIND_TOKEN_PROGRAM, KIND_SYSTEM_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_REQUEST_UNLOCK] = {1, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_RESUME] = {1, 0, 6, {KIND_WALLET | ACCOUNT_SIGNS, KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_WITHDRAW] = {1, 0, 8, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_SUBMIT_BATCH] = {45, 0, 5, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_ANNOUNCE] = {33, 0, 4, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_FRESH | ACCOUNT_WRITES, KIND_SYSTEM_PROGRAM}},
  [IX_RETRACT] = {1, 0, 3, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_ANNOUNCEMENT | ACCOUNT_WRITES}},
  [IX_ACCUSE] = {1, 0, 13, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_ANNOUNCEMENT | ACCOUNT_WRITES, KIND_FRESH | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_INSTRUCTIONS_SYSVAR, KIND_TOKEN_PROGRAM, KIND_SYSTEM_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_ANSWER] = {1, 1, 8, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_ACCUSATION | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_CONVICT] = {1, 1, 10, {KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_ACCUSATION | ACCOUNT_WRITES, KIND_WALLET | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_SLASH_INACTIVE] = {1, 0, 9, {KIND_WALLET | ACCOUNT_SIGNS, KIND_CONFIG, KIND_AGENT | ACCOUNT_WRITES, KIND_VAULT | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN | ACCOUNT_WRITES, KIND_TOKEN_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
  [IX_CLAIM_OWNER] = {1, 0, 7, {KIND_WALLET | ACCOUNT_SIGNS | ACCOUNT_WRITES, KIND_CONFIG, KIND_FRESH | ACCOUNT_WRITES, KIND_INSTRUCTIONS_SYSVAR, KIND_SYSTEM_PROGRAM, KIND_EVENT_AUTHORITY, KIND_PROGRAM}},
};
