/**
 * The schema, step by step: a step that has been released never changes, and one that changes rows first copies them to a
 * table of its own. Servers of the version before run on while it is applied: it only adds, and what it adds to a table that is there
 * has a default or may be null. Records are JSON in `record`, text rather than jsonb, which takes neither NUL nor half a surrogate pair;
 * beside it stand the columns that queries and keys need. `n` is the place in the order of creation.
 */
export const STEPS: readonly string[] = [
  `
  create table users (
    uuid text primary key, email text not null unique, created_at text not null, n bigint generated always as identity);
  create table installation (
    one boolean primary key default true check (one), owner text not null references users, secret text not null);
  create table keys (
    hash text primary key, user_uuid text not null references users on delete cascade, name text not null, hint text not null,
    created_at text not null, last_used_at text not null, n bigint generated always as identity);
  create index keys_of_user on keys (user_uuid);
  create table facts (name text primary key, value text not null);

  create table chatbots (
    uuid text primary key, n bigint not null, owner text not null, is_deleted boolean not null default false,
    record text not null);
  create index chatbots_of_owner on chatbots (owner, n);
  create table agents (
    uuid text primary key, n bigint not null, chatbot text not null references chatbots on delete cascade,
    record text not null);
  create index agents_of_chatbot on agents (chatbot, n);
  create table tool_functions (
    uuid text not null, agent text not null references agents on delete cascade, primary key (uuid, agent));
  create index functions_of_agent on tool_functions (agent);
  create table tags (
    uuid text primary key, n bigint not null, chatbot text not null references chatbots on delete cascade,
    record text not null);
  create index tags_of_chatbot on tags (chatbot, n);
  create table sites (
    uuid text primary key, n bigint not null, chatbot text not null references chatbots on delete cascade,
    status text not null, record text not null);
  create index sites_of_chatbot on sites (chatbot, n);
  create index sites_running on sites (n) where status = 'running';

  create table sources (
    uuid text primary key, n bigint not null, chatbot text not null references chatbots on delete cascade,
    status text not null, embedded_by text not null, record text not null);
  create index sources_of_chatbot on sources (chatbot, n);
  create index sources_by_status on sources (status, n);
  -- By digest: an address may be longer than an index entry.
  create table source_names (
    chatbot text not null, digest bytea not null, source text not null references sources on delete cascade,
    primary key (chatbot, digest));
  create index names_of_source on source_names (source);
  create table agent_sources (
    part text not null references agents on delete cascade, place integer not null,
    source text not null references sources on delete cascade, primary key (part, place));
  create index agents_of_source on agent_sources (source);
  create table tag_sources (
    part text not null references tags on delete cascade, place integer not null,
    source text not null references sources on delete cascade, primary key (part, place));
  create index tags_of_source on tag_sources (source);
  create table files (source text primary key references sources on delete cascade, bytes bytea not null);
  create table documents (source text primary key references sources on delete cascade, document text not null);
  create table vectors (
    source text primary key references sources on delete cascade, model text not null, dimensions integer not null,
    rows bytea not null);

  create table processes (uuid text primary key, seen_at timestamptz not null default now());
  create table sessions (
    uuid text primary key, n bigint not null, chatbot text not null references chatbots on delete cascade,
    last_message_at text not null default '', record text not null);
  create index sessions_of_chatbot on sessions (chatbot, n);
  -- \`writer\`: the process that makes the answer; none where it is finished, or was interrupted.
  create table messages (
    uuid text primary key, n bigint not null, session text not null references sessions on delete cascade,
    writer text references processes on delete set null, has_response boolean not null, outcome text not null,
    is_deleted boolean not null default false, record text not null);
  create index messages_of_session on messages (session, n);
  create index messages_of_writer on messages (writer) where writer is not null;

  create table replies (key text primary key, created_at text not null, record text not null);
  create index replies_by_age on replies (created_at);
  create table usage (
    owner text not null, day text not null, chatbot text not null, model text not null, messages bigint not null,
    credits double precision not null, tokens bigint not null, n bigint not null,
    primary key (owner, day, chatbot, model));
  `,
  `
  create table notices (
    n bigint generated always as identity primary key, process text not null, notices text not null,
    at timestamptz not null default now());
  `,
  `
  -- Rows of their own, locked after those of sources: a deletion of a chatbot locks chatbot, sources, versions in this order.
  create table passages (chatbot text primary key references chatbots on delete cascade, version bigint not null default 0);
  insert into passages (chatbot) select uuid from chatbots;
  create table passage_changes (
    chatbot text not null references passages on delete cascade, source text not null, version bigint not null,
    at timestamptz not null default now(), primary key (chatbot, source));
  create index changes_by_version on passage_changes (chatbot, version);
  `,
  `
  create table visits (
    key bytea primary key, times double precision[] not null, is_counted boolean not null,
    last_at timestamptz not null default now());
  create index visits_by_age on visits (last_at);
  `,
  `
  create table credits (
    owner text not null, month text not null, spent double precision not null, beside integer not null default 0,
    primary key (owner, month));
  create table reserved_credits (
    owner text not null, month text not null, process text not null references processes on delete cascade,
    credits double precision not null, primary key (owner, month, process));
  create index reserved_by_process on reserved_credits (process);
  `,
  `
  create table settlements (id text primary key, at timestamptz not null default now());
  create index settlements_by_age on settlements (at);
  `,
  `
  -- Of answers that are not finished, or were interrupted. \`start\`: UTF-16 units of the answer before it; \`text\`: as JSON.
  create table answer_pieces (
    message text not null references messages on delete cascade, start integer not null, text text not null,
    primary key (message, start));
  alter table messages add column stop_requested boolean not null default false;
  `,
  `
  -- The processes that learn a source and crawl a site; none where that one has ended.
  alter table sources add column learner text references processes on delete set null;
  create index sources_of_learner on sources (learner) where learner is not null;
  alter table sites add column crawler text references processes on delete set null;
  create index sites_of_crawler on sites (crawler) where crawler is not null;
  `,
  `
  -- When a process that does not make the answer last had readers of it.
  alter table messages add column followed_at timestamptz;
  `,
  `
  -- The process puts an archive in place of all there is: no other begins beside it.
  alter table processes add column is_importing boolean not null default false;
  `,
  `
  -- Requests with an Idempotency-Key that are being answered.
  create table reply_claims (key text primary key, process text not null references processes on delete cascade);
  create index claims_of_process on reply_claims (process);
  `,
  `
  -- How far the crawl under way is, as JSON.
  alter table sites add column progress text;
  `,
  `
  -- Background tasks of a finished answer that still run, where they run, and until when they count at most.
  alter table messages add column tasks integer not null default 0;
  alter table messages add column tasks_of text;
  alter table messages add column tasks_until timestamptz;
  `,
  `
  -- Of rows whose start is negative and whose text is empty: a step that has begun; '' where it has ended. The lowest is the last.
  alter table answer_pieces add column step text;
  `,
  `
  create table login_links (
    hash text primary key, user_uuid text not null references users on delete cascade, created_at text not null,
    expires_at text not null);
  create index links_of_user on login_links (user_uuid);
  create table sign_ins (
    hash text primary key, uuid text not null unique, user_uuid text not null references users on delete cascade,
    key_hash text references keys on delete cascade, environment_key text not null, user_agent text not null,
    created_at text not null, last_used_at text not null, expires_at text not null, n bigint generated always as identity);
  create index sign_ins_of_user on sign_ins (user_uuid, n);
  create index sign_ins_of_key on sign_ins (key_hash) where key_hash is not null;
  `,
  `
  -- The users in \`members\` of the record.
  alter table chatbots add column members text[] not null default '{}';
  create index chatbots_of_member on chatbots using gin (members);
  `,
  `
  -- What finished messages are found by; a table of its own, so that its indexes are made of no rows.
  create table message_entries (
    message text primary key references messages on delete cascade, chatbot text not null, session_n bigint not null,
    n bigint not null, day text collate "C" not null, outcome text not null, rating smallint not null, agent text not null,
    page text not null, labels text[] not null, words tsvector not null);
  create index entries_in_order on message_entries (chatbot, session_n, n);
  create index entries_by_outcome on message_entries (chatbot, outcome, session_n, n) where outcome in ('unknown', 'unsure');
  create index entries_by_rating on message_entries (chatbot, rating, session_n, n) where rating <> 0;
  create index entries_by_words on message_entries using gin (words) with (fastupdate = off);
  -- Null where a version before has stored the session.
  alter table sessions add column is_dry boolean;
  -- The sessions from this place on have entries; null for none.
  alter table chatbots add column entered_from bigint;
  alter table processes add column keeps_entries boolean not null default false;
  `,
  `
  create table figures (
    chatbot text not null references chatbots on delete cascade, day text not null, by text not null, name text not null,
    asked bigint not null, answered bigint not null, unsure bigint not null, unknown bigint not null,
    handed_over bigint not null, rated_up bigint not null, rated_down bigint not null, primary key (chatbot, day, by, name));
  create table cited (
    source text primary key references sources on delete cascade, answers bigint not null, last_at text not null);
  `,
  `
  -- Whether an invitation has made the user.
  alter table users add column invited boolean not null default false;
  `,
  `
  -- In place of \`entered_from\` and \`keeps_entries\`: the words of entries were others before.
  alter table chatbots add column words_from bigint;
  alter table processes add column keeps_words boolean not null default false;
  `,
  `
  create table passkeys (
    uuid text primary key, id text not null unique, user_uuid text not null references users on delete cascade, name text not null,
    host text not null, public_key text not null, counter bigint not null, created_at text not null, last_used_at text not null,
    n bigint generated always as identity);
  create index passkeys_of_user on passkeys (user_uuid, n);
  create table used_challenges (hash text primary key, expires_at text not null);
  alter table sign_ins add column passkey text references passkeys on delete cascade;
  create index sign_ins_of_passkey on sign_ins (passkey) where passkey is not null;
  `,
  `
  -- In JSON these quotes are in no text: they would stand behind backslashes.
  create index sessions_requested on sessions (chatbot, n) where strpos(record, '"live":{"state":"requested"}') > 0;
  `,
  `
  -- Of a chatbot's log, or of a user's own.
  create table audit (
    uuid text primary key, n bigint not null, chatbot text references chatbots on delete cascade,
    account text references users on delete cascade, user_uuid text not null, at text collate "C" not null, record text not null);
  create index audit_of_chatbot on audit (chatbot, n) where chatbot is not null;
  create index audit_of_account on audit (account, n) where account is not null;
  create index audit_by_age on audit (at);
  `,
  `
  create index audit_by_user on audit (chatbot, user_uuid, n) where chatbot is not null;
  `,
  `
  -- Questions over the rate limit. An earlier version beside this one adds rows without it.
  alter table figures add column refused bigint not null default 0;
  `,
  `
  create index sources_of_site on sources (chatbot, (substr(record, strpos(record, '"site":"') + 8, 32)))
    where strpos(record, '"site":"') > 0;
  `,
];
