-- The product of this example on Supabase: a sketch to count lines, which was written out and not run. Migrations in SQL, with
-- policies; what SQL does not do is in `supabase.ts`. Studio's table editor stands for the admin page: it knows the database's
-- owner, and not the managers of companies.

-- part: companies, members, roles
create extension if not exists btree_gist;
create schema private;
create type member_role as enum ('manager', 'member', 'guest');
create table companies (
  id bigint generated always as identity primary key,
  name text not null unique check (length(name) between 1 and 100)
);
create table members (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  user_id uuid not null references auth.users,
  name text not null default '' check (length(name) <= 100),
  role member_role not null,
  unique (company_id, user_id),
  unique (company_id, id)
);
create index on members (user_id);
create function private.rank(role member_role) returns int immutable language sql as
  $$ select case role when 'manager' then 3 when 'member' then 2 else 1 end $$;
create function private.has(company bigint, least member_role) returns boolean stable security definer set search_path = '' language sql as $$
  select exists (
    select from public.members
    where company_id = company and user_id = (select auth.uid()) and private.rank(role) >= private.rank(least))
$$;
create function private.me(company bigint) returns bigint stable security definer set search_path = '' language sql as
  $$ select id from public.members where company_id = company and user_id = (select auth.uid()) $$;
create function private.keep_manager() returns trigger language plpgsql as $$
begin
  perform from members where company_id = old.company_id and role = 'manager' for update;
  if old.role = 'manager' and not exists (
    select from members where company_id = old.company_id and role = 'manager' and id <> old.id)
  then raise exception 'a company keeps its last manager' using errcode = '23514';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger keep_manager before delete or update of role on members
  for each row execute function private.keep_manager();
alter table companies enable row level security;
alter table members enable row level security;
create policy read on companies for select using (private.has(id, 'guest'));
create policy read on members for select using (private.has(company_id, 'member') or user_id = (select auth.uid()));
create policy write on members for all
  using (private.has(company_id, 'manager')) with check (private.has(company_id, 'manager'));

-- part: places, equipment, floor plans
create type room_kind as enum ('room', 'desk');
create table locations (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  name text not null check (length(name) between 1 and 100),
  address text not null check (length(address) <= 200),
  time_zone text not null check (now() at time zone time_zone is not null),
  floor_plan text,
  unique (company_id, name),
  unique (company_id, id)
);
create table rooms (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  location_id bigint not null,
  name text not null check (length(name) between 1 and 100),
  kind room_kind not null,
  capacity int not null check (capacity between 1 and 1000),
  needs_approval boolean not null default false,
  unique (company_id, name),
  unique (company_id, id),
  foreign key (company_id, location_id) references locations (company_id, id)
);
create table equipment (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  name text not null check (length(name) between 1 and 60),
  unique (company_id, name),
  unique (company_id, id)
);
create table room_equipment (
  company_id bigint not null,
  room_id bigint,
  equipment_id bigint,
  primary key (room_id, equipment_id),
  foreign key (company_id, room_id) references rooms (company_id, id) on delete cascade,
  foreign key (company_id, equipment_id) references equipment (company_id, id) on delete cascade
);
alter table locations enable row level security;
alter table rooms enable row level security;
alter table equipment enable row level security;
alter table room_equipment enable row level security;
create policy read on locations for select using (private.has(company_id, 'guest'));
create policy write on locations for all
  using (private.has(company_id, 'manager')) with check (private.has(company_id, 'manager'));
create policy read on rooms for select using (private.has(company_id, 'guest'));
create policy write on rooms for all
  using (private.has(company_id, 'manager')) with check (private.has(company_id, 'manager'));
create policy read on equipment for select using (private.has(company_id, 'guest'));
create policy write on equipment for all
  using (private.has(company_id, 'manager')) with check (private.has(company_id, 'manager'));
create policy read on room_equipment for select using (private.has(company_id, 'guest'));
create policy write on room_equipment for all
  using (private.has(company_id, 'manager')) with check (private.has(company_id, 'manager'));
insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
  values ('plans', 'plans', 10000000, array['image/*', 'application/pdf']);
create policy read on storage.objects for select
  using (bucket_id = 'plans' and private.has((storage.foldername(name))[1]::bigint, 'guest'));
create policy write on storage.objects for all
  using (bucket_id = 'plans' and private.has((storage.foldername(name))[1]::bigint, 'manager'))
  with check (bucket_id = 'plans' and private.has((storage.foldername(name))[1]::bigint, 'manager'));

-- part: bookings: states, no overlap, rights
create type booking_status as enum ('requested', 'approved', 'waiting', 'declined', 'cancelled');
create table bookings (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  room_id bigint not null,
  member_id bigint,
  series_id bigint,
  title text not null check (length(title) between 1 and 200),
  starts_at timestamptz not null,
  ends_at timestamptz not null check (starts_at < ends_at),
  minutes int generated always as (extract(epoch from ends_at - starts_at) / 60) stored,
  status booking_status not null default 'requested',
  or_wait boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, room_id) references rooms (company_id, id),
  foreign key (company_id, member_id) references members (company_id, id),
  exclude using gist (room_id with =, tstzrange(starts_at, ends_at) with &&) where (status in ('requested', 'approved'))
);
create index on bookings (room_id, starts_at);
create index on bookings (member_id);
create table participants (
  id bigint generated always as identity primary key,
  company_id bigint not null,
  booking_id bigint not null,
  member_id bigint not null,
  unique (booking_id, member_id),
  foreign key (company_id, booking_id) references bookings (company_id, id) on delete cascade,
  foreign key (company_id, member_id) references members (company_id, id) on delete cascade
);
create index on participants (member_id);
create function private.invited(booking bigint, company bigint) returns boolean stable security definer set search_path = '' language sql as
  $$ select exists (select from public.participants where booking_id = booking and member_id = private.me(company)) $$;
create function private.own(booking bigint) returns boolean stable security definer set search_path = '' language sql as $$
  select exists (
    select from public.bookings where id = booking
      and (private.has(company_id, 'manager') or private.has(company_id, 'member') and member_id = private.me(company_id)))
$$;
create function private.complete_booking() returns trigger security definer set search_path = '' language plpgsql as $$
declare is_manager boolean := auth.uid() is null or private.has(new.company_id, 'manager');
begin
  new.updated_at := now();
  if tg_op = 'INSERT' then
    if not is_manager or new.member_id is null then new.member_id := private.me(new.company_id); end if;
    new.status := case when new.or_wait then 'waiting' else private.first_state(new.room_id) end;
  elsif new.status <> old.status and pg_trigger_depth() = 1 then
    if not (
      new.status = 'cancelled' and old.status in ('requested', 'approved', 'waiting')
      or is_manager and new.status in ('approved', 'declined') and old.status in ('requested', 'waiting')
      or is_manager and new.status = 'requested' and old.status = 'waiting')
    then raise exception 'the booking is %', old.status using errcode = 'PT409';
    end if;
  elsif new.company_id <> old.company_id or new.member_id is distinct from old.member_id or new.series_id is distinct from old.series_id
  then raise exception 'the company, the member and the series stay' using errcode = 'PT422';
  end if;
  return new;
end $$;
create trigger complete before insert or update on bookings for each row execute function private.complete_booking();
alter table bookings enable row level security;
alter table participants enable row level security;
create policy read on bookings for select using (private.has(company_id, 'member') or private.invited(id, company_id));
create policy add on bookings for insert with check (private.has(company_id, 'member'));
create policy change on bookings for update
  using (private.has(company_id, 'manager') or private.has(company_id, 'member') and member_id = private.me(company_id));
create policy read on participants for select using (private.has(company_id, 'member') or member_id = private.me(company_id));
create policy write on participants for all using (private.own(booking_id)) with check (private.own(booking_id));
create function book(booking jsonb, invited bigint[] default '{}') returns bookings language plpgsql as $$
declare made bookings;
begin
  insert into bookings (company_id, room_id, member_id, title, starts_at, ends_at, or_wait)
  select company_id, room_id, member_id, title, starts_at, ends_at, coalesce(or_wait, false)
  from jsonb_populate_record(null::bookings, booking) returning * into made;
  insert into participants (company_id, booking_id, member_id) select made.company_id, made.id, unnest(invited);
  select * into made from bookings where id = made.id;
  return made;
end $$;
create function conflicting(room bigint, start timestamptz, finish timestamptz) returns setof bookings stable language sql as $$
  select * from bookings
  where room_id = room and status in ('requested', 'approved') and starts_at < finish and ends_at > start
$$;
create function bookings_on(day date, room bigint) returns setof bookings stable language sql as $$
  select bookings.* from bookings join rooms on rooms.id = room_id join locations on locations.id = location_id
  where room_id = room and starts_at >= day::timestamp at time zone time_zone
    and starts_at < (day + 1)::timestamp at time zone time_zone
$$;
create table private.history (
  id bigint generated always as identity primary key,
  company_id bigint, record text, record_id bigint, actor uuid, action text, before jsonb, after jsonb,
  at timestamptz not null default now()
);
create function private.log() returns trigger security definer set search_path = '' language plpgsql as $$
begin
  insert into private.history (company_id, record, record_id, actor, action, before, after)
  values (coalesce(new.company_id, old.company_id), tg_table_name, coalesce(new.id, old.id), auth.uid(), tg_op,
    to_jsonb(old), to_jsonb(new));
  return null;
end $$;
create trigger log after insert or update or delete on bookings for each row execute function private.log();
create trigger log after insert or update or delete on rooms for each row execute function private.log();
create trigger log after insert or update or delete on members for each row execute function private.log();
create trigger log after insert or update or delete on locations for each row execute function private.log();
create function history(name text, key bigint) returns setof private.history stable security definer set search_path = '' language sql as $$
  select * from private.history where record = name and record_id = key and private.has(company_id, 'manager') order by id
$$;

-- part: waiting list
create function private.first_state(room bigint) returns booking_status stable security definer set search_path = '' language sql as $$
  select case when needs_approval then 'requested' else 'approved' end::public.booking_status from public.rooms where id = room
$$;
create function private.move_up() returns trigger security definer set search_path = '' language plpgsql as $$
declare waiting bigint; freed public.bookings := coalesce(old, new);
begin
  for waiting in
    select id from public.bookings
    where room_id = freed.room_id and status = 'waiting' and starts_at < freed.ends_at and ends_at > greatest(freed.starts_at, now())
    order by created_at
  loop
    begin
      update public.bookings set status = private.first_state(room_id) where id = waiting and status = 'waiting';
    exception when exclusion_violation then null;
    end;
  end loop;
  return null;
end $$;
create trigger move_up after insert or update on bookings for each row execute function private.move_up();

-- part: recurring bookings
create table series (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  room_id bigint not null,
  member_id bigint not null,
  title text not null check (length(title) between 1 and 200),
  starts_at timestamptz not null,
  ends_at timestamptz not null check (starts_at < ends_at),
  rule text not null check (length(rule) <= 200),
  deleted_at timestamptz,
  unique (company_id, id),
  foreign key (company_id, room_id) references rooms (company_id, id),
  foreign key (company_id, member_id) references members (company_id, id)
);
alter table bookings add foreign key (company_id, series_id) references series (company_id, id);
alter table series enable row level security;
create policy read on series for select using (deleted_at is null and private.has(company_id, 'member'));
create function private.book_series(new_series jsonb, times timestamptz[]) returns bigint language plpgsql as $$
declare made series; start timestamptz;
begin
  insert into series (company_id, room_id, member_id, title, starts_at, ends_at, rule)
  select company_id, room_id, member_id, title, starts_at, ends_at, rule from jsonb_populate_record(null::series, new_series)
  returning * into made;
  foreach start in array times loop
    insert into bookings (company_id, room_id, member_id, series_id, title, starts_at, ends_at)
    values (made.company_id, made.room_id, made.member_id, made.id, made.title, start, start + (made.ends_at - made.starts_at));
  end loop;
  return made.id;
end $$;
create function end_series(series bigint) returns void security definer set search_path = '' language plpgsql as $$
begin
  update public.series set deleted_at = now()
  where id = end_series.series and (private.has(company_id, 'manager') or member_id = private.me(company_id));
  if not found then raise exception 'not found' using errcode = 'PT404'; end if;
  update public.bookings set status = 'cancelled'
  where series_id = end_series.series and starts_at > now() and status in ('requested', 'approved', 'waiting');
end $$;

-- part: comments
create table comments (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  booking_id bigint not null,
  author_id uuid not null default auth.uid() references auth.users,
  text text not null check (length(text) between 1 and 2000),
  created_at timestamptz not null default now(),
  foreign key (company_id, booking_id) references bookings (company_id, id)
);
alter table comments enable row level security;
create policy read on comments for select using (private.has(company_id, 'member'));
create policy add on comments for insert with check (private.has(company_id, 'member') and author_id = (select auth.uid()));
create policy change on comments for update
  using (author_id = (select auth.uid()) and created_at > now() - interval '15 minutes');
create policy remove on comments for delete
  using (author_id = (select auth.uid()) and created_at > now() - interval '15 minutes');

-- part: sensors with keys
create table private.sensor_keys (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  name text not null,
  hash bytea not null unique
);
create table readings (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies,
  room_id bigint not null,
  people int not null check (people between 0 and 10000),
  celsius double precision,
  created_at timestamptz not null default now(),
  foreign key (company_id, room_id) references rooms (company_id, id)
);
create index on readings (room_id, created_at);
alter table readings enable row level security;
create policy read on readings for select using (private.has(company_id, 'member'));
create function make_key(company bigint, name text) returns text security definer set search_path = '' language plpgsql as $$
declare key text := encode(extensions.gen_random_bytes(32), 'hex');
begin
  if not private.has(company, 'manager') then raise exception 'denied' using errcode = '42501'; end if;
  insert into private.sensor_keys (company_id, name, hash) values (company, make_key.name, extensions.digest(key, 'sha256'));
  return key;
end $$;
create function revoke_key(key bigint) returns void security definer set search_path = '' language sql as
  $$ delete from private.sensor_keys where id = key and private.has(company_id, 'manager') $$;
create function report(key text, room bigint, people int, celsius double precision) returns void
security definer set search_path = '' language plpgsql as $$
declare company bigint := (select company_id from private.sensor_keys where hash = extensions.digest(key, 'sha256'));
begin
  if company is null then raise exception 'denied' using errcode = '42501'; end if;
  insert into public.readings (company_id, room_id, people, celsius) values (company, room, report.people, report.celsius);
end $$;

-- part: calendar and display
create table private.links (key uuid primary key default gen_random_uuid(), member_id bigint unique references members, room_id bigint unique references rooms);
create function calendar_link(company bigint) returns uuid security definer set search_path = '' language sql as $$
  insert into private.links (member_id) values (private.me(company))
  on conflict (member_id) do update set key = gen_random_uuid() returning key
$$;
create function display_link(room bigint) returns uuid security definer set search_path = '' language sql as $$
  insert into private.links (room_id) select id from public.rooms where id = room and private.has(company_id, 'manager')
  on conflict (room_id) do update set key = gen_random_uuid() returning key
$$;
create function calendar_of(link uuid) returns table (id bigint, title text, room text, starts_at timestamptz, ends_at timestamptz, status booking_status, updated_at timestamptz)
stable security definer set search_path = '' language sql as $$
  select bookings.id, title, rooms.name, starts_at, ends_at, status, updated_at
  from private.links join public.bookings on bookings.member_id = links.member_id
    or exists (select from public.participants where booking_id = bookings.id and participants.member_id = links.member_id)
  join public.rooms on rooms.id = bookings.room_id
  where key = link and status in ('requested', 'approved') and ends_at > now() - interval '30 days'
$$;
create function display(link uuid, day date default null) returns jsonb stable security definer set search_path = '' language sql as $$
  select jsonb_build_object('room', rooms.name, 'location', locations.name, 'time_zone', time_zone, 'now', now(), 'bookings', (
    select jsonb_agg(jsonb_build_object('starts_at', starts_at, 'ends_at', ends_at) order by starts_at)
    from public.bookings,
      lateral (select coalesce(display.day, (now() at time zone time_zone)::date) as day) as asked
    where room_id = rooms.id and status in ('requested', 'approved')
      and starts_at < (asked.day + 1)::timestamp at time zone time_zone and ends_at > asked.day::timestamp at time zone time_zone))
  from private.links join public.rooms on rooms.id = links.room_id join public.locations on locations.id = location_id
  where key = link
$$;

-- part: utilisation
create function utilisation(company bigint, zone text) returns table (room_id bigint, week timestamp, minutes bigint) stable language sql as $$
  select room_id, date_trunc('week', starts_at at time zone zone), sum(minutes)
  from bookings where company_id = company and status = 'approved' group by 1, 2
$$;

-- part: accounts, invitations
create table private.invitations (
  email text not null, company_id bigint not null references companies, role member_role not null,
  primary key (email, company_id)
);
create function private.invite(company bigint, email text, role member_role) returns void language sql as
  $$ insert into private.invitations values (email, company, role) $$;
create function private.accept() returns trigger security definer set search_path = '' language plpgsql as $$
begin
  insert into public.members (company_id, user_id, role)
  select company_id, new.id, role from private.invitations where email = new.email;
  delete from private.invitations where email = new.email;
  return new;
end $$;
create trigger accept after insert or update of email_confirmed_at on auth.users
  for each row when (new.email_confirmed_at is not null) execute function private.accept();

-- part: live
alter publication supabase_realtime add table bookings, comments;

-- part: routes, seed, start
do $$
declare shift interval := date_trunc('week', now()) - timestamptz '2026-01-05 00:00+00';
begin
  update bookings set starts_at = starts_at + shift, ends_at = ends_at + shift;
  update series set starts_at = starts_at + shift, ends_at = ends_at + shift;
end $$;
