"""All actions of one check as a single event (CR 704.3): what replaces what, the rows, then the changes."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import host_is_there
from headjudge.kernels.groups import choose_protector
from headjudge.kernels.jit import part
from headjudge.kernels.judging import counters_of_kind
from headjudge.kernels.losses import in_game, replaced_losses
from headjudge.kernels.moving import is_in_combat, leave_combat, move, remove_side_counters
from headjudge.kernels.recording import record_object, record_player
from headjudge.kernels.rules import only_tokens_cease
from headjudge.kernels.saving import mark_moved_by_replacements


@part
def resolve(board, lexicon):
    """Decide what becomes of every object that a rule names: choices, replacements, destinations."""
    game = board.game[0]
    destroys = False
    find_involved(board)
    for n in range(game.involved):
        i = board.lists[b.INVOLVED, n]
        o = board.objects[i]
        o.destination = -1
        o.replaced_by = -1
        o.saved_by = -1
        o.umbra = -1
        o.used = False
        o.shuffled = False
        o.exiled = False
        o.destroyed = o.rules & b.DESTROY != 0
        destroys |= o.destroyed
        o.to_graveyard = o.rules & b.TO_GRAVEYARD != 0
        if o.rules & b.NO_PROTECTOR:
            o.new_protector = choose_protector(game, board.players, o, i)
            if o.new_protector == v.NO_SEAT:
                o.to_graveyard = True
    if destroys:
        resolve_destructions(board, lexicon)
    if game.effects:
        mark_moved_by_replacements(board, lexicon)
    for n in range(game.involved):
        i = board.lists[b.INVOLVED, n]
        if leaves_the_battlefield(board.objects[i]):
            choose_destination(game, board.objects[i], i)


@part
def find_involved(board):
    """List the objects that the event may change: those that rules name, or all where others may be, too."""
    game = board.game[0]
    everything = game.effects > 0 or game.keywords & b.UMBRA_ARMOR != 0 or game.tells_offers
    game.involved = 0
    for i in range(game.objects):
        if everything or board.objects[i].rules:
            board.lists[b.INVOLVED, game.involved] = i
            game.involved += 1


@part
def leaves_the_battlefield(o):
    """Whether the event puts the permanent into another zone."""
    return o.to_graveyard or o.shuffled or o.exiled


@part
def resolve_destructions(board, lexicon):
    """Find what replaces destructions (CR 701.19, 702.89), in the order of rows."""
    game = board.game[0]
    objects = board.objects
    if game.keywords & b.UMBRA_ARMOR:
        for i in range(game.objects):
            o = objects[i]
            if o.live and is_umbra(o) and o.attached_to >= 0 and host_is_there(board, lexicon, i):
                host = objects[o.attached_to]
                if is_umbra_preferred(objects, host, i):
                    host.umbra = i
    for n in range(game.involved):
        i = board.lists[b.INVOLVED, n]
        o = objects[i]
        if o.destroyed:
            choose_replacement(board, i)
            if o.saved_by < 0:
                o.to_graveyard = True
            elif o.saved_by == b.UMBRA:
                destroy_umbra(board, o.umbra)


@part
def is_umbra(o):
    """Whether the object is an Aura with umbra armor."""
    return o.now_keywords & b.UMBRA_ARMOR != 0 and o.now_marks & b.AURA != 0


@part
def is_umbra_preferred(objects, host, i):
    """Whether umbra `i` is used rather than the one found so far: as chosen, else the oldest."""
    if host.umbra < 0 or host.choice_replace == i:
        return True
    return host.choice_replace != host.umbra and objects[i].timestamp < objects[host.umbra].timestamp


@part
def has_shield(o):
    """Whether a regeneration shield can replace the object's destruction (CR 701.19c)."""
    return o.regeneration > 0 and not o.now_keywords & b.CANT_BE_REGENERATED


@part
def choose_replacement(board, i):
    """Choose between regeneration and umbra: as chosen, else regeneration first."""
    o = board.objects[i]
    regenerates = has_shield(o)
    umbra = o.umbra >= 0 and not board.objects[o.umbra].used
    if not regenerates and not umbra:
        return
    if umbra and o.choice_replace == o.umbra:
        regenerates = False
    o.saved_by = b.REGENERATION if regenerates else b.UMBRA
    if not regenerates:
        board.objects[o.umbra].used = True


@part
def destroy_umbra(board, umbra):
    """Destroy an umbra by the effect of its own ability, which its shields, umbras and counters can replace.

    Each umbra replaces one destruction in an event (CR 614.5), so the chain ends.
    """
    i = umbra
    while True:
        o = board.objects[i]
        if o.destroyed or o.now_keywords & b.INDESTRUCTIBLE:
            return  # a destruction by damage is one with this (CR 704.7), and is resolved on its own
        o.saved_by = -1
        if o.shield == 0 or o.choice_replace != b.CHOOSE_SHIELD:
            choose_replacement(board, i)
        if o.saved_by < 0:
            if o.shield > 0:
                o.saved_by = SHIELD_COUNTER
            else:
                o.to_graveyard = True
            return
        if o.saved_by != b.UMBRA:
            return
        i = o.umbra


#: OBJECT.saved_by: a shield counter, which replaces destruction by an effect only (CR 122.1c).
SHIELD_COUNTER = 100


@part
def choose_destination(game, o, i):
    """Choose where a permanent goes.

    What replaces the graveyard (CR 614, 616.1, 122.1h), and its death or another effect of the same event (400.6).
    """
    finality = o.to_graveyard and o.finality > 0
    exiled = o.to_graveyard and o.now_rules & b.EXILED_INSTEAD != 0
    own = o.to_graveyard and o.graveyard_replacement != b.GRAVEYARD
    if own:
        o.destination = o.graveyard_replacement
        o.replaced_by = b.GRAVEYARD_REPLACEMENT
    elif finality:
        o.destination = b.EXILE
        o.replaced_by = b.FINALITY
    elif exiled:
        o.destination = b.EXILE
        o.replaced_by = b.GRAVEYARD_TO_EXILE
    elif o.to_graveyard:
        o.destination = b.GRAVEYARD
    else:
        o.destination = b.EXILE if o.exiled else b.LIBRARY
    wanted = o.choice_destination
    if wanted == b.EXILE and (finality or exiled) and o.destination != b.EXILE:
        o.destination = b.EXILE
        o.replaced_by = b.FINALITY if finality else b.GRAVEYARD_TO_EXILE
    elif wanted != o.destination and ((wanted == b.EXILE and o.exiled) or (wanted == b.LIBRARY and o.shuffled)):
        o.destination = wanted
        o.replaced_by = -1
    if o.destination == b.GRAVEYARD and o.now_rules & b.CARDS_EXILED_INSTEAD:
        game.reason = b.PARTS_GO_APART
        game.reason_object = i
    # 903.9b
    if o.destination == b.HAND or o.destination == b.LIBRARY:
        if game.variant & b.COMMANDERS and o.kind == b.CARD and o.booleans & b.IS_COMMANDER and o.choice_command != 0:
            o.destination = b.COMMAND


@part
def end_zone(o):
    """Return the zone in which the object will be after the event."""
    if o.rules & (b.CEASE & ~(1 << b.TOKEN_OFF_BATTLEFIELD)):
        return b.NOWHERE
    if o.rules & 1 << b.TOKEN_OFF_BATTLEFIELD and not only_tokens_cease(o):
        return b.NOWHERE
    if leaves_the_battlefield(o):
        return o.destination
    if o.rules & 1 << b.COMMANDER_ZONE:
        return b.COMMAND
    return o.zone


@part
def record(board, lexicon, state):
    """Write the rows of the event: players by seat, objects by row, rules by bit."""
    game = board.game[0]
    for seat in range(game.players):
        p = board.players[seat]
        for rule in range(b.FIRST_OBJECT_RULE):
            if p.rules >> rule & 1:
                replaced = b.INSTEAD_OF_LOSING if replaced_losses(game, p) >> rule & 1 else -1
                amount = 1 if rule == b.START_ENGINES else v.NULL
                record_player(board, state, rule, b.SBA, seat, amount, replaced)
    for n in range(game.involved):
        i = board.lists[b.INVOLVED, n]
        o = board.objects[i]
        bits = o.rules >> b.FIRST_OBJECT_RULE
        rule = b.FIRST_OBJECT_RULE
        to_zone = end_zone(o)
        while bits:
            if bits & 1:
                replaced = -1
                if b.DESTROY >> rule & 1 and o.saved_by >= 0:
                    replaced = o.saved_by
                elif buries(o, rule) and to_zone == o.destination:
                    replaced = o.replaced_by
                record_object(board, state, rule, b.SBA, i, to_zone, amount_of(board, lexicon, o, rule), replaced)
            bits >>= 1
            rule += 1
        if to_zone != o.zone:
            record_triggers(board, state, i, to_zone)
        elif o.saved_by == b.REGENERATION:
            record_object(board, state, b.REGENERATED, b.CONSEQUENCE, i, o.zone, v.NULL, -1)
            if is_in_combat(o):
                record_object(board, state, b.REMOVED_FROM_COMBAT, b.CONSEQUENCE, i, o.zone, v.NULL, -1)
        elif o.saved_by == b.UMBRA:
            record_object(board, state, b.UMBRA_ARMOR_USED, b.CONSEQUENCE, i, o.zone, o.umbra, -1)


@part
def buries(o, rule):
    """Whether an action puts its object into a graveyard."""
    if b.NO_PROTECTOR >> rule & 1:
        return o.new_protector == v.NO_SEAT
    return (b.TO_GRAVEYARD | b.DESTROY) >> rule & 1 != 0


@part
def record_triggers(board, state, i, zone):
    """Write that a permanent died or left, if it had an ability that triggers then (CR 603.10a, 700.4)."""
    o = board.objects[i]
    if not o.live or o.lost_abilities:
        return
    if zone == b.GRAVEYARD and o.booleans & b.DIES_TRIGGER_FLAG:
        record_object(board, state, b.DIES_TRIGGER, b.CONSEQUENCE, i, zone, v.NULL, -1)
    if o.booleans & b.LEAVES_TRIGGER_FLAG:
        record_object(board, state, b.LEAVES_TRIGGER, b.CONSEQUENCE, i, zone, v.NULL, -1)


@part
def amount_of(board, lexicon, o, rule):
    """Return the `amount` of a row about an object."""
    if rule == b.COUNTERS_CANCEL:
        return min(o.plus_counters, o.minus_counters)
    if rule == b.COUNTER_LIMIT:
        removed = 0
        for k in range(lexicon.limit_start[o.traits], lexicon.limit_start[o.traits + 1]):
            removed += max(0, counters_of_kind(board, o, lexicon.limit_kind[k]) - lexicon.limit_most[k])
        return removed
    if b.NO_PROTECTOR >> rule & 1 and o.new_protector != v.NO_SEAT:
        return o.new_protector
    if rule == b.SECTOR:
        return max(o.choice_sector, 0)
    return v.NULL


@part
def apply_to_players(board):
    """Change the players: losses take them out of the game."""
    game = board.game[0]
    for seat in range(game.players):
        p = board.players[seat]
        if p.rules & 1 << b.START_ENGINES:
            p.speed = 1
        if p.loses and in_game(p):
            p.booleans &= ~b.IN_GAME
            p.departs = True


@part
def apply_to_objects(board, lexicon, components):
    """Change the objects."""
    game = board.game[0]
    planeswalk = False
    for n in range(game.involved):
        i = board.lists[b.INVOLVED, n]
        o = board.objects[i]
        if not o.rules and not leaves_the_battlefield(o) and o.saved_by < 0:
            continue
        zone = end_zone(o)
        if o.rules & 1 << b.TOKEN_OFF_BATTLEFIELD and only_tokens_cease(o):
            drop_tokens(o, components)
        if zone != o.zone:
            move(board, i, zone)
            continue
        if o.rules & b.UNATTACH:
            o.attached_to = v.NONE
        if o.rules & 1 << b.COUNTERS_CANCEL:
            fewer = min(o.plus_counters, o.minus_counters)
            limit_counters(board, lexicon, o)
            o.plus_counters = max(0, o.plus_counters - fewer)
            o.minus_counters = max(0, o.minus_counters - fewer)
        elif o.rules & 1 << b.COUNTER_LIMIT:
            limit_counters(board, lexicon, o)
        if o.saved_by >= 0:
            save(o)
        if o.rules & b.NO_PROTECTOR:
            o.protector = o.new_protector
        if o.rules & 1 << b.SECTOR:
            o.sector = max(o.choice_sector, 0)
        if o.rules & 1 << b.SCHEME_TURNED_DOWN:
            o.booleans &= ~b.FACE_UP
        planeswalk |= o.rules & 1 << b.PHENOMENON_ENDS != 0
    for i in range(game.objects if game.seen & b.SEEN_COMBAT else 0):
        # What it attacked has left: it attacks nothing (506.4c).
        o = board.objects[i]
        if o.live and o.attacking >= 0 and board.objects[o.attacking].moved:
            o.attacking = v.NOTHING
    if planeswalk:
        for i in range(game.objects):
            o = board.objects[i]
            if o.zone == b.COMMAND and o.now_types & (b.PLANE | b.PHENOMENON):
                o.booleans &= ~b.FACE_UP


@part
def drop_tokens(o, components):
    """Let the first card of what was merged stand for what is left of it."""
    o.components -= o.token_components
    o.token_components = 0
    o.name = components.name[o.first_card]
    o.kind = components.kind[o.first_card]


@part
def save(o):
    """Do what replaces a destruction instead of it (CR 701.19a, 702.89a, 122.1c)."""
    if o.saved_by == SHIELD_COUNTER:
        o.shield = max(0, o.shield - 1)
        return
    o.damage = 0
    if o.saved_by == b.REGENERATION:
        o.regeneration -= 1
        o.booleans |= b.TAPPED
        if is_in_combat(o):
            leave_combat(o)


@part
def limit_counters(board, lexicon, o):
    """Remove the counters beyond the limits of the object's abilities (CR 704.5r)."""
    if not o.rules & 1 << b.COUNTER_LIMIT:
        return
    for k in range(lexicon.limit_start[o.traits], lexicon.limit_start[o.traits + 1]):
        kind = lexicon.limit_kind[k]
        excess = max(0, counters_of_kind(board, o, kind) - lexicon.limit_most[k])
        if kind == 0:
            o.plus_counters -= excess
        elif kind == 1:
            o.minus_counters -= excess
        elif kind == 2:
            o.loyalty -= excess
        elif kind == 3:
            o.defense -= excess
        elif kind == 4:
            o.lore -= excess
        elif kind == 5:
            o.shield -= excess
        elif kind == 6:
            o.finality -= excess
        elif excess:
            c = o.side_counters
            while board.counters[c].kind != kind:
                c += 1
            remove_side_counters(board, lexicon, o, c, excess)
