"""Between columns and records: one board in, one board out."""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import inlined, part


@inlined
def load(batch, choices, choices_start, state, board):
    """Fill the records of `board` from the columns of one state."""
    game = board.game[0]
    load_game(batch, state, game)
    load_players(batch, state, game, board.players)
    load_objects(batch, state, game, board.objects)
    load_side_tables(batch, state, game, board)
    load_effects(batch, state, game, board)
    load_choices(choices, choices_start, state, game, board.players, board.objects)


@inlined
def load_game(batch, state, game):
    """Fill what concerns the board as a whole."""
    states = batch.states
    game.variant = states.variant[state]
    game.active_player = states.active_player[state]
    game.step = states.step[state]
    game.skips = states.skips[state]
    game.round_expired = states.round_expired[state]
    game.planar_controller = states.planar_controller[state]
    game.players = batch.players_start[state + 1] - batch.players_start[state]
    game.objects = batch.objects_start[state + 1] - batch.objects_start[state]
    game.passes = 0
    game.recorded_pass = 1
    game.outcome = b.ONGOING_GAME
    game.status = b.SETTLED
    game.reason = b.NO_REASON
    game.reason_object = -1
    game.full = False
    game.noted = False
    game.worlds = -1


@inlined
def load_players(batch, state, game, players):
    """Fill the records of the players, and count the teams."""
    first = batch.players_start[state]
    game.teams = 0
    for seat in range(game.players):
        k = first + seat
        p = players[seat]
        p.team = batch.players.team[k]
        p.life = batch.players.life[k]
        p.poison = batch.players.poison[k]
        p.speed = batch.players.speed[k]
        p.booleans = batch.players.flags[k]
        p.commander_damage = 0
        p.choice_loss = v.NONE
        p.now_booleans = p.booleans
        p.now_protection = 0
        p.loses = False
        p.departs = False
        p.replacement = -1
        p.life_replacement = -1
        is_new = True
        for other in range(seat):
            if players[other].team == p.team:
                is_new = False
                break
        game.teams += is_new
    for k in range(batch.commander_damage_start[state], batch.commander_damage_start[state + 1]):
        p = players[batch.commander_damage.seat[k]]
        p.commander_damage = max(p.commander_damage, batch.commander_damage.amount[k])


@inlined
def load_objects(batch, state, game, objects):
    """Fill the records of the objects."""
    columns = batch.objects
    lexicon = batch.lexicon
    first = batch.objects_start[state]
    for i in range(game.objects):
        k = first + i
        o = objects[i]
        o.name = columns.name[k]
        o.kind = columns.kind[k]
        o.owner = columns.owner[k]
        o.types = columns.types[k]
        o.supertypes = columns.supertypes[k]
        o.colors = columns.colors[k]
        o.subtypes = columns.subtypes[k]
        o.power = columns.power[k]
        o.toughness = columns.toughness[k]
        o.timestamp = columns.timestamp[k]
        if not -v.MOST_TIME <= o.timestamp <= v.MOST_TIME:
            game.reason = b.BEYOND_TIMES
            game.reason_object = i
        o.keywords = columns.keywords[k]
        o.source = columns.source[k]
        o.components = 0
        o.token_components = 0
        o.first_card = -1
        trait = columns.traits[k]
        o.traits = trait
        o.enchant = lexicon.trait_enchant[trait]
        o.protection = lexicon.trait_protection[trait]
        o.final_chapter = lexicon.trait_final_chapter[trait]
        o.graveyard_replacement = lexicon.trait_graveyard[trait]
        o.mana_value = lexicon.trait_mana_value[trait]
        o.zone = columns.zone[k]
        o.controller = columns.controller[k]
        o.booleans = columns.flags[k]
        o.damage = columns.damage[k]
        o.attached_to = columns.attached_to[k]
        o.attacking = columns.attacking[k]
        o.plus_counters = columns.plus_counters[k]
        o.minus_counters = columns.minus_counters[k]
        o.loyalty = columns.loyalty[k]
        o.defense = columns.defense[k]
        o.lore = columns.lore[k]
        o.shield = columns.shield[k]
        o.finality = columns.finality[k]
        o.regeneration = columns.regeneration[k]
        o.protector = columns.protector[k]
        o.sector = columns.sector[k]
        o.world_since = o.timestamp
        o.became_world = False
        o.side_counters = -1
        o.side_power = 0
        o.side_toughness = 0
        o.side_keywords = 0
        o.keeps = -1
        o.moved = False
        o.now_rules = 0
        o.remembered = False
        o.pending = 0
        o.attacked = False
        o.choice_keep = b.NOT_CHOSEN
        o.was_chosen = False
        o.choice_command = b.UNCHOSEN
        o.choice_protector = b.UNCHOSEN
        o.choice_sector = b.UNCHOSEN
        o.choice_replace = v.NONE
        o.choice_destination = b.UNCHOSEN
    for k in range(batch.world_since_start[state], batch.world_since_start[state + 1]):
        objects[batch.world_since.object[k]].world_since = batch.world_since.since[k]
    for k in range(batch.components_start[state], batch.components_start[state + 1]):
        o = objects[batch.components.object[k]]
        o.components += 1
        if batch.components.kind[k] == b.TOKEN:
            o.token_components += 1
        elif o.first_card < 0:
            o.first_card = k


@inlined
def load_side_tables(batch, state, game, board):
    """Fill the counters without a column and the kept attachments."""
    lexicon = batch.lexicon
    game.counters = 0
    for k in range(batch.counters_start[state], batch.counters_start[state + 1]):
        counter = board.counters[game.counters]
        counter.object = batch.counters.object[k]
        counter.kind = batch.counters.kind[k]
        counter.count = batch.counters.count[k]
        o = board.objects[counter.object]
        if o.side_counters < 0:
            o.side_counters = game.counters
        game.counters += 1
        o.side_power += lexicon.counter_power[counter.kind] * counter.count
        o.side_toughness += lexicon.counter_toughness[counter.kind] * counter.count
        if counter.count > 0:
            o.side_keywords |= lexicon.counter_keywords[counter.kind]
    game.keeps = 0
    for k in range(batch.keeps_start[state], batch.keeps_start[state + 1]):
        keep = board.keeps[game.keeps]
        keep.object = batch.keeps.object[k]
        keep.attachment = batch.keeps.attachment[k]
        if board.objects[keep.object].keeps < 0:
            board.objects[keep.object].keeps = game.keeps
        game.keeps += 1


@inlined
def load_effects(batch, state, game, board):
    """Fill the continuous effects, their order by timestamp, and the lists of what they affect."""
    texts = batch.lexicon.texts
    first = batch.effects_start[state]
    game.effects = batch.effects_start[state + 1] - first
    game.locks = False
    game.locked = False
    for e in range(game.effects):
        k = first + e
        effect = board.effects[e]
        effect.text = batch.effects.text[k]
        effect.source = batch.effects.source[k]
        effect.controller = batch.effects.controller[k]
        effect.until = batch.effects.until[k]
        effect.timestamp = batch.effects.timestamp[k]
        if effect.timestamp == v.NO_TIMESTAMP:
            effect.timestamp = board.objects[effect.source].timestamp if effect.source >= 0 else b.NEWEST
        effect.locks = effect.source < 0 and texts[effect.text].affects == b.AFFECTS_FILTER
        game.locks |= effect.locks
        effect.found = False
        effect.over = False
        effect.per = 0
        for i in range(game.objects):
            board.reach[e, i] = False
        n = e
        while n > 0 and board.effects[board.lists[b.ORDER, n - 1]].timestamp > effect.timestamp:
            board.lists[b.ORDER, n] = board.lists[b.ORDER, n - 1]
            n -= 1
        board.lists[b.ORDER, n] = e
    for k in range(batch.effect_objects_start[state], batch.effect_objects_start[state + 1]):
        board.reach[batch.effect_objects.effect[k], batch.effect_objects.object[k]] = True


@part
def load_choices(choices, choices_start, state, game, players, objects):
    """Fill what the players choose."""
    for k in range(choices_start[state], choices_start[state + 1]):
        subject = choices.subject[k]
        value = choices.value[k]
        choice = choices.choice[k]
        if choice == b.CHOOSE_LOSS_REPLACEMENT:
            players[-1 - subject].choice_loss = value
            continue
        o = objects[subject]
        if choice == b.CHOOSE_KEEP:
            o.choice_keep = b.KEEP
        elif choice == b.CHOOSE_COMMAND_ZONE:
            o.choice_command = value
        elif choice == b.CHOOSE_PROTECTOR:
            o.choice_protector = value
        elif choice == b.CHOOSE_SECTOR:
            o.choice_sector = value
        elif choice == b.CHOOSE_REPLACE:
            o.choice_replace = value
        else:
            o.choice_destination = value


@inlined
def store_flags(batch, state, board):
    """Write back the flags of the players, which tell who has lost; `batch` must own that column."""
    first = batch.players_start[state]
    for seat in range(board.game[0].players):
        batch.players.flags[first + seat] = board.players[seat].booleans


@inlined
def store(batch, state, board):
    """Write back what events change; `batch` must own those columns."""
    game = board.game[0]
    batch.states.planar_controller[state] = game.planar_controller
    batch.states.step[state] = game.step
    first = batch.players_start[state]
    for seat in range(game.players):
        p = board.players[seat]
        batch.players.life[first + seat] = p.life
        batch.players.speed[first + seat] = p.speed
        batch.players.flags[first + seat] = p.booleans
    columns = batch.objects
    first = batch.objects_start[state]
    for i in range(game.objects):
        k = first + i
        o = board.objects[i]
        if o.components:
            columns.name[k] = o.name
            columns.kind[k] = o.kind
        if o.owner != columns.owner[k]:
            columns.owner[k] = o.owner
        columns.zone[k] = o.zone
        columns.controller[k] = o.controller
        columns.flags[k] = o.booleans
        columns.damage[k] = o.damage
        columns.attached_to[k] = o.attached_to
        columns.attacking[k] = o.attacking
        columns.plus_counters[k] = o.plus_counters
        columns.minus_counters[k] = o.minus_counters
        columns.loyalty[k] = o.loyalty
        columns.defense[k] = o.defense
        columns.lore[k] = o.lore
        columns.shield[k] = o.shield
        columns.finality[k] = o.finality
        columns.regeneration[k] = o.regeneration
        columns.protector[k] = o.protector
        columns.sector[k] = o.sector
    for k in range(batch.components_start[state], batch.components_start[state + 1]):
        o = board.objects[batch.components.object[k]]
        if batch.components.kind[k] == b.TOKEN and o.components > o.token_components == 0:
            batch.components.object[k] = b.GONE
    for c in range(game.counters):
        batch.counters.count[batch.counters_start[state] + c] = board.counters[c].count
    # What was said of an object that has moved is gone with it (CR 400.7); the driver drops rows of object GONE.
    for k in range(batch.keeps_start[state], batch.keeps_start[state + 1]):
        if board.objects[batch.keeps.object[k]].moved:
            batch.keeps.object[k] = b.GONE
    for k in range(batch.world_since_start[state], batch.world_since_start[state + 1]):
        if board.objects[batch.world_since.object[k]].moved:
            batch.world_since.object[k] = b.GONE


@inlined
def store_effects(batch, state, board):
    """Write back which effects are over with their source, and what the others are fixed to (CR 400.7, 611.2c)."""
    game = board.game[0]
    first = batch.effects_start[state]
    for e in range(game.effects):
        effect = board.effects[e]
        if effect.over or (effect.source >= 0 and board.objects[effect.source].moved):
            batch.effects.text[first + e] = b.GONE
        elif is_fixed_for_good(game, effect, batch.lexicon.texts[effect.text]):
            write_fixed(board, state, e, -1, effect.per)
            for i in range(game.objects):
                if effect.locks and board.reach[e, i] and not board.objects[i].moved:
                    write_fixed(board, state, e, i, effect.per)
    for k in range(batch.effect_objects_start[state], batch.effect_objects_start[state + 1]):
        effect = first + batch.effect_objects.effect[k]
        if batch.effects.text[effect] == b.GONE or board.objects[batch.effect_objects.object[k]].moved:
            batch.effect_objects.object[k] = b.GONE
    for i in range(game.objects):
        o = board.objects[i]
        if o.became_world and not o.moved:
            write_fixed(board, state, b.NO_EFFECT, i, o.world_since)


@part
def is_fixed_for_good(game, effect, text):
    """Whether what the effect applies to, or how often, was fixed at the start and has to be kept (CR 611.2c, d)."""
    if effect.source >= 0 or not game.locked:
        return False
    if text.affects == b.AFFECTS_LIST:
        return text.per != b.NOT_STATED
    return effect.locks and text.rule < 0  # a rule follows the board


@part
def write_fixed(board, state, e, i, number):
    """Write a row of what an effect is fixed to, or an object's clock; without room, only note that there was none."""
    game = board.game[0]
    if game.fixed >= board.fixed.shape[0]:
        game.full = True
        return
    row = board.fixed[game.fixed]
    row.state = state
    row.effect = e
    row.object = i
    row.number = number
    game.fixed += 1


@part
def hash_table_size(members):
    """Return the power of two that holds so many members at most half full."""
    size = np.int64(8)
    while size < 2 * members:
        size *= 2
    return size
