// Token accounts: what is read from them, and the calls made to SPL Token.
#pragma once
#include "program.h"

#define TOKEN_ACCOUNT_SIZE 165
#define TOKEN_INITIALIZED 1

static inline u64 token_amount(const struct account *account) { return *(const u64 *)(account->data + 64); }

// Frozen and closed accounts cannot receive.
NOINLINE int receivable(const struct account *account) {
  return same_key(account->owner, TOKEN_PROGRAM) && account->length == TOKEN_ACCOUNT_SIZE &&
         same_key(account->data, STATE->config->mint) && account->data[108] == TOKEN_INITIALIZED;
}

// A source is the signer's own account: a delegate may not lock or stake what was lent to it.
NOINLINE u64 check_source(const struct account *source, const struct account *wallet) {
  REQUIRE(same_key(source->owner, TOKEN_PROGRAM) && source->length == TOKEN_ACCOUNT_SIZE, ERROR_WRONG_OWNER);
  REQUIRE(same_key(source->data, STATE->config->mint), ERROR_WRONG_MINT);
  REQUIRE(same_key(source->data + 32, wallet->key), ERROR_WRONG_TOKEN_OWNER);
  return 0;
}

struct vault {
  struct account *account;
  const u8 *parent;
  u8 *bump;
};

// A vault is a token account at ["vault", parent] that is its own authority.
#define VAULT_SEEDS(vault) \
  { {BYTES("vault"), 5}, {(vault)->parent, 32}, {(vault)->bump, 1} }

NOINLINE u64 check_vault(const struct vault *vault) {
  struct slice seeds[3] = VAULT_SEEDS(vault);
  TRY(check_derived(vault->account, seeds, 3));
  REQUIRE(same_key(vault->account->owner, TOKEN_PROGRAM), ERROR_WRONG_OWNER);
  return 0;
}

NOINLINE u64 create_vault(const struct vault *vault, struct account *payer, struct account *mint) {
  struct slice seeds[3] = VAULT_SEEDS(vault);
  REQUIRE(same_key(mint->key, STATE->config->mint), ERROR_WRONG_MINT);
  TRY(find_derived(vault->account, seeds, 3));
  struct creation creation = {payer, vault->account, TOKEN_ACCOUNT_SIZE, 0, TOKEN_PROGRAM, {seeds, 3}};
  TRY(create_account(&creation));
  u8 data[33];
  data[0] = 18;
  copy_key(data + 1, vault->account->key);
  struct meta metas[2] = {{vault->account->key, 1, 0}, {mint->key, 0, 0}};
  struct call call = {TOKEN_PROGRAM, metas, 2, data, 33};
  return sol_invoke_signed_c(&call, STATE->accounts, STATE->count, 0, 0);
}

NOINLINE u64 call_transfer(struct account *from, struct account *to, u8 *authority, u64 amount,
                           const struct signer_seeds *signer) {
  u8 data[9];
  data[0] = 3;
  put_u64(data + 1, amount);
  struct meta metas[3] = {{from->key, 1, 0}, {to->key, 1, 0}, {authority, 0, 1}};
  struct call call = {TOKEN_PROGRAM, metas, 3, data, 9};
  return sol_invoke_signed_c(&call, STATE->accounts, STATE->count, signer, signer ? 1 : 0);
}

static inline u64 deposit_tokens(struct account *from, struct account *to, struct account *wallet, u64 amount) {
  return call_transfer(from, to, wallet->key, amount, 0);
}

NOINLINE u64 pay_from_vault(const struct vault *vault, struct account *to, u64 amount) {
  if (!amount) return 0;
  REQUIRE(receivable(to), ERROR_NOT_RECEIVABLE);
  struct slice seeds[3] = VAULT_SEEDS(vault);
  struct signer_seeds signer = {seeds, 3};
  return call_transfer(vault->account, to, vault->account->key, amount, &signer);
}

NOINLINE u64 burn_from_vault(const struct vault *vault, struct account *mint, u64 amount) {
  if (!amount) return 0;
  REQUIRE(same_key(mint->key, STATE->config->mint), ERROR_WRONG_MINT);
  struct slice seeds[3] = VAULT_SEEDS(vault);
  struct signer_seeds signer = {seeds, 3};
  u8 data[9];
  data[0] = 8;
  put_u64(data + 1, amount);
  struct meta metas[3] = {{vault->account->key, 1, 0}, {mint->key, 1, 0}, {vault->account->key, 0, 1}};
  struct call call = {TOKEN_PROGRAM, metas, 3, data, 9};
  return sol_invoke_signed_c(&call, STATE->accounts, STATE->count, &signer, 1);
}

NOINLINE u64 close_vault(const struct vault *vault, struct account *receiver) {
  struct slice seeds[3] = VAULT_SEEDS(vault);
  struct signer_seeds signer = {seeds, 3};
  u8 data[1] = {9};
  struct meta metas[3] = {{vault->account->key, 1, 0}, {receiver->key, 1, 0}, {vault->account->key, 0, 1}};
  struct call call = {TOKEN_PROGRAM, metas, 3, data, 1};
  return sol_invoke_signed_c(&call, STATE->accounts, STATE->count, &signer, 1);
}
