/** The schema as SQL, in steps that are never edited once released; `PRAGMA user_version`-like bookkeeping lives in `meta`. */

/** Step n brings a database from version n to n+1. */
export const migrations: readonly string[] = [
  `
  create table meta (key text primary key, value text not null) without rowid;
  create table accounts (seq integer primary key, username text not null unique, name text not null, document text not null, created_at_ms integer not null);
  create table credentials (seq integer primary key, account_seq integer not null, client_id text not null unique, client_secret text not null,
    signing_key text not null, webhook_secret text not null, postback_url text, active integer not null, created_at_ms integer not null);
  create index credentials_by_account on credentials (account_seq);
  create table account_limits (account_seq integer not null, currency text not null, operation text not null, min_minor integer, max_minor integer,
    daily_minor integer, primary key (account_seq, currency, operation)) without rowid;
  create table account_fees (account_seq integer not null, currency text not null, operation text not null, fixed_minor integer not null,
    percent_ppm integer not null, primary key (account_seq, currency, operation)) without rowid;
  create table usage (account_seq integer not null, currency text not null, operation text not null, day_ms integer not null, used_minor integer not null,
    primary key (account_seq, currency, operation, day_ms)) without rowid;
  create table balances (account_seq integer not null, currency text not null, available integer not null, blocked integer not null, pending integer not null,
    primary key (account_seq, currency)) without rowid;
  create table postings (seq integer primary key, entry integer not null, account_seq integer not null, bucket text not null, currency text not null,
    amount_minor integer not null, object_id text not null, memo text not null, at_ms integer not null);
  create index postings_by_object on postings (object_id);
  create table tokens (hash text primary key, credential_seq integer not null, expires_at_ms integer not null) without rowid;
  create table nonces (seq integer primary key, credential_seq integer not null, nonce text not null, expires_wall_ms integer not null);
  create table transactions (seq integer primary key, id text not null unique, account_seq integer not null, credential_seq integer, type text not null,
    status text not null, source text, currency text not null, amount_minor integer not null, fee_minor integer not null, external_id text,
    fingerprint text, postback_url text, network text, detail text not null, created_at_ms integer not null, updated_at_ms integer not null);
  create unique index transactions_by_external_id on transactions (account_seq, external_id) where external_id is not null;
  create index transactions_by_time on transactions (account_seq, created_at_ms, type, status, currency, source);
  create table wallets (seq integer primary key, account_seq integer not null, credential_seq integer, currency text not null, chain text,
    address text not null, created_at_ms integer not null);
  create table disputes (seq integer primary key, id text not null unique, account_seq integer not null, transaction_id text not null, type text not null,
    status text not null, amount_minor integer not null, currency text not null, e2e_id text not null, reason text not null,
    deadline_at_ms integer not null, resolved_at_ms integer, created_at_ms integer not null);
  create index disputes_by_transaction on disputes (transaction_id);
  create table replies (seq integer primary key, dispute_id text not null, message text not null, files text not null, created_at_ms integer not null);
  create index replies_by_dispute on replies (dispute_id);
  create table history (seq integer primary key, object text not null, object_id text not null, action text not null, from_status text,
    to_status text not null, at_ms integer not null);
  create index history_by_object on history (object_id);
  create table events (seq integer primary key, id text not null unique, event text not null, transaction_id text not null, subject_id text not null,
    external_id text, account_seq integer not null, credential_seq integer, url text, body text not null, status text not null,
    attempts integer not null, next_attempt_at_ms integer, treatment text, created_at_ms integer not null);
  create index events_by_transaction on events (transaction_id);
  create index events_by_subject on events (subject_id);
  create table attempts (seq integer primary key, event_seq integer not null, credential_seq integer, number integer not null, at_ms integer not null,
    duration_ms integer not null, request_headers text not null, outcome text not null, status integer, response_body text, detail text);
  create index attempts_by_event on attempts (event_seq);
  create index attempts_by_time on attempts (at_ms);
  create table jobs (seq integer primary key, claimed integer not null, kind text not null, due_at_ms integer not null, ref text not null, payload text);
  create index jobs_by_time on jobs (due_at_ms, seq) where claimed = 0;
  create index jobs_by_ref on jobs (ref);
  create table scenarios (name text primary key, definition text not null, created_at_ms integer not null) without rowid;
  create table arms (seq integer primary key, scenario text not null, account_seq integer, remaining integer, created_at_ms integer not null);
  create table runs (seq integer primary key, id text not null unique, scenario text not null, status text not null, started_by text not null,
    account_seq integer not null, subject_id text, steps text not null, results text not null, state text not null,
    created_at_ms integer not null, finished_at_ms integer);
  create index runs_by_subject on runs (subject_id) where subject_id is not null;
  create index runs_running on runs (seq) where status = 'running';
  create table treatments (subject_id text primary key, treatment text not null) without rowid;
  `,
  // A conversion is found under either of its currencies.
  `
  alter table transactions add column currency_to text;
  update transactions set currency_to = json_extract(detail, '$.currencyTo') where type = 'conversion';
  drop index transactions_by_time;
  create index transactions_by_time on transactions (account_seq, created_at_ms, type, status, currency, currency_to, source);
  `,
  // Tokens in the order in which they were given out: the oldest are forgotten by number, without looking at the others.
  `
  alter table tokens rename to tokens_by_hash;
  create table tokens (seq integer primary key, hash text not null unique, credential_seq integer not null, expires_at_ms integer not null);
  insert into tokens (hash, credential_seq, expires_at_ms) select hash, credential_seq, expires_at_ms from tokens_by_hash order by expires_at_ms;
  drop table tokens_by_hash;
  `,
  // What proves a payment has one name, whatever its rail.
  `
  update transactions set detail = json_set(json_remove(detail, '$.e2eId', '$.hash'), '$.proof',
      coalesce(json_extract(detail, '$.e2eId'), json_extract(detail, '$.hash')))
    where type in ('cashin', 'cashout') and coalesce(json_extract(detail, '$.e2eId'), json_extract(detail, '$.hash')) is not null;
  `,
  // What calls and webhooks left behind for people to look at.
  `
  create table requests (seq integer primary key, id text not null, bytes integer not null, entry text not null, signed text);
  create table inboxes (name text primary key, used integer not null, responses text not null, given integer not null) without rowid;
  create table inbox_messages (seq integer primary key, inbox text not null, headers text not null, raw text not null, signature_valid integer,
    received_at_ms integer not null, chars integer not null);
  create index inbox_messages_by_inbox on inbox_messages (inbox, seq);
  `,
  // What is asked for by its state, its account, its address or its name comes by an index, however much there is of it.
  `
  create index transactions_by_state on transactions (type, status);
  create index disputes_by_state on disputes (status);
  create index disputes_by_account on disputes (account_seq, seq);
  create index wallets_by_address on wallets (address);
  create index events_by_name on events (event);
  `,
  // A day at a glance: sums by the hour. What is still on its way, has failed, or came to a wallet is found without looking at the rest.
  `
  create table activity (hour_ms integer not null, measure text not null, currency text not null, sum_minor integer not null, count integer not null,
    primary key (hour_ms, measure, currency)) without rowid;
  insert into activity select at_ms - at_ms % 3600000, iif(amount_minor < 0, 'in', 'out'), currency, sum(abs(amount_minor)), count(*) from postings
    where bucket = 'rail' and memo in ('cashin.pay', 'cashin.deposit', 'cashin.refund', 'cashin.lose_dispute', 'cashout.confirm', 'cashout.refund')
    group by 1, 2, 3;
  insert into activity select at_ms - at_ms % 3600000, iif(outcome = 'ok', 'delivered', 'failed'), '', 0, count(*) from attempts group by 1, 2;
  create index events_undelivered on events (status) where status <> 'delivered';
  create index transactions_by_wallet on transactions (json_extract(detail, '$.walletId')) where source = 'static';
  `,
  // Messages of strangers are bounded by themselves.
  `
  alter table inbox_messages add column from_stranger integer not null default 0;
  create index wallets_by_account on wallets (account_seq, seq);
  `,
]
