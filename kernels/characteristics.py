"""What an object is right now, without continuous effects (those are in `layers`), and whether a filter matches it."""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.jit import inlined, part


@part
def has(o, types):
    """Whether the object has one of these card types."""
    return o.now_types & types != 0


@part
def is_ability(o):
    """Whether the object is an ability, not a card, token, copy or emblem."""
    return o.kind >= b.FIRST_ABILITY


@part
def is_pending(o):
    """Whether an ability has triggered or been activated and has not left the stack."""
    return o.zone == b.STACK or o.zone == b.WAITING


@part
def controller_of(o):
    """Return the controller before effects: objects elsewhere than here are their owner's (CR 108.4)."""
    if o.zone in (b.BATTLEFIELD, b.STACK, b.WAITING, b.COMMAND):
        return o.controller
    return o.owner


@inlined
def start_characteristics(board, lexicon, i):
    """Set the characteristics of an object to the copiable ones (CR 613.1)."""
    o = board.objects[i]
    o.live = o.zone == b.BATTLEFIELD and o.kind < b.EMBLEM and o.booleans & b.PHASED_OUT == 0
    o.now_types = o.types
    o.now_supertypes = o.supertypes
    o.now_colors = o.colors
    o.now_marks = o.subtypes & b.MARKS
    o.now_keywords = o.keywords
    o.now_protection = o.protection
    o.now_controller = controller_of(o)
    o.now_power = 0 if o.power == v.NULL else o.power
    o.now_toughness = 0 if o.toughness == v.NULL else o.toughness
    o.lost_abilities = False
    o.gained_changeling = False
    if board.game[0].sets_matter or board.game[0].effects:
        start_subtypes(board, lexicon, i)


@part
def start_subtypes(board, lexicon, i):
    """Fill the set of subtypes."""
    o = board.objects[i]
    row = board.sets[i]
    words = lexicon.subtype_sets[o.subtypes >> b.MARK_BITS]
    for w in range(row.shape[0]):
        row[w] = words[w]
    row[0] |= np.uint64(o.now_marks)


@part
def apply_changeling(board, lexicon, i):
    """Give an object with changeling every creature type, first of all in layer 4 (CR 613.3, 702.73a)."""
    o = board.objects[i]
    if o.keywords & b.CHANGELING and o.types & b.CREATURE_OR_KINDRED:
        for w in range(board.sets.shape[1]):
            board.sets[i, w] |= lexicon.type_subtypes[b.CREATURE_INDEX, w]


@part
def bestowed_is_an_aura(board, lexicon, i):
    """Make a bestowed permanent an Aura that is no creature (CR 702.103b, 205.1a)."""
    o = board.objects[i]
    lose_types(board, lexicon, i, b.CREATURE)
    o.now_types |= b.ENCHANTMENT
    o.now_marks |= b.AURA
    if board.game[0].sets_matter or board.game[0].effects:
        board.sets[i, 0] |= np.uint64(b.AURA)


@part
def reconfigured_is_no_creature(board, lexicon, i):
    """Stop an attached permanent with reconfigure from being a creature (CR 702.151b)."""
    lose_types(board, lexicon, i, b.CREATURE)


@part
def lose_types(board, lexicon, i, types):
    """Take card types away, and the subtypes that go with them (CR 205.1a)."""
    o = board.objects[i]
    lost = o.now_types & types
    o.now_types &= ~types
    if lost and (board.game[0].sets_matter or board.game[0].effects):
        lose_subtypes(board, lexicon, i, lost)


@part
def lose_subtypes(board, lexicon, i, types):
    """Take away the subtypes of card types that were lost, unless another type of the object has them (CR 205.1a)."""
    o = board.objects[i]
    row = board.sets[i]
    for w in range(row.shape[0]):
        row[w] &= ~subtypes_of(lexicon, types, w) | subtypes_of(lexicon, o.now_types, w)
    o.now_marks = np.int64(row[0]) & b.MARKS


@part
def subtypes_of(lexicon, types, w):
    """Return one word of the set of subtypes that some card types have (CR 205.3b)."""
    words = np.uint64(0)
    for t in range(lexicon.type_subtypes.shape[0]):
        if types >> t & 1:
            words |= lexicon.type_subtypes[t, w]
    return words


@part
def add_counters(o):
    """Add what counters give in layer 7c (CR 613.4c)."""
    o.now_power += o.plus_counters - o.minus_counters + o.side_power
    o.now_toughness += o.plus_counters - o.minus_counters + o.side_toughness


@part
def derive_without_effects(board, lexicon):
    """Derive the characteristics of every object of a board that has no continuous effects."""
    game = board.game[0]
    game.seen = 0
    game.keywords = 0
    for i in range(game.objects):
        start_characteristics(board, lexicon, i)
        if game.sets_matter:
            apply_changeling(board, lexicon, i)
        o = board.objects[i]
        if o.zone == b.BATTLEFIELD:
            if o.booleans & b.BESTOWED:
                bestowed_is_an_aura(board, lexicon, i)
            elif o.keywords & b.RECONFIGURE and o.attached_to != v.NONE:
                reconfigured_is_no_creature(board, lexicon, i)
        o.now_keywords |= o.side_keywords
        add_counters(o)
        see(game, o)


@part
def see(game, o):
    """Note what the picture has at all."""
    if o.live:
        game.keywords |= o.now_keywords
        if o.attacking != v.NONE or o.booleans & b.BLOCKING:
            game.seen |= b.SEEN_COMBAT
        if o.booleans & b.BESTOWED:
            game.seen |= b.SEEN_BESTOWED
    if is_ability(o) and o.zone != b.NOWHERE:
        game.seen |= b.SEEN_ABILITIES
    if o.sector != v.NO_SECTOR:
        game.seen |= b.SEEN_SECTORS
    if o.booleans & b.OBJECT_MARKS:
        game.seen |= b.SEEN_MARKS


@part
def is_related(players, relation, seat, you):
    """Whether a seat stands in a relation (any, you, opponent) to `you`; nobody does to no one."""
    if relation == b.ANYONE:
        return True
    if you < 0 or seat < 0:
        return False
    if relation == b.YOU:
        return seat == you
    return players[seat].team != players[you].team


@part
def host_zone(lexicon, o):
    """Return the zone where the host of an attached object has to be."""
    if o.now_marks & b.AURA and o.enchant >= 0 and not o.booleans & b.BESTOWED:
        return lexicon.filters[o.enchant].zone
    return b.BATTLEFIELD


@part
def host_is_there(board, lexicon, i):
    """Whether what the object is attached to still exists (CR 303.4c, 400.7, 702.26b)."""
    o = board.objects[i]
    if o.attached_to == v.NONE:
        return False
    if o.attached_to < 0:
        return board.players[-1 - o.attached_to].booleans & b.IN_GAME != 0
    host = board.objects[o.attached_to]
    return not host.moved and host.zone == host_zone(lexicon, o) and (host.live or host.zone != b.BATTLEFIELD)


@part
def matches(board, lexicon, row, i, you, source):
    """Whether object `i` meets the conditions of a filter; it belongs to `source`, which `you` controls."""
    o = board.objects[i]
    f = lexicon.filters[row]
    stated = f.conditions
    if o.zone != f.zone or (o.zone == b.BATTLEFIELD and not o.live):
        return False
    if o.now_types & f.types != f.types or o.now_types & f.not_types:
        return False
    if stated & b.STATES_ANY_TYPES and o.now_types & f.any_types == 0:
        return False
    if o.now_supertypes & f.supertypes != f.supertypes or o.now_supertypes & f.not_supertypes:
        return False
    if stated & b.STATES_COLORS and o.now_colors & f.colors == 0:
        return False
    if o.now_keywords & f.keywords != f.keywords:
        return False
    if stated & b.STATES_KIND and o.kind != f.kind:
        return False
    if stated & b.STATES_NAMED and o.name != f.named:
        return False
    if not is_related(board.players, f.controller, o.now_controller, you):
        return False
    if not is_related(board.players, f.owner, o.owner, you):
        return False
    if f.other and i == source:
        return False
    if stated & b.STATES_ATTACKING and (o.attacking != v.NONE) != f.attacking:
        return False
    if stated & b.STATES_TAPPED and (o.booleans & b.TAPPED != 0) != f.tapped:
        return False
    if f.host and (source < 0 or board.objects[source].attached_to != i or not host_is_there(board, lexicon, source)):
        return False
    return not stated & b.STATES_SUBTYPES or subtypes_match(board, lexicon, row, i, stated)


@part
def subtypes_match(board, lexicon, row, i, stated):
    """Whether object `i` meets the conditions of a filter on subtypes."""
    found_any = False
    for w in range(board.sets.shape[1]):
        words = board.sets[i, w]
        if board.objects[i].gained_changeling and board.objects[i].now_types & b.CREATURE_OR_KINDRED:
            words |= lexicon.type_subtypes[b.CREATURE_INDEX, w]
        if words & lexicon.filter_subtypes[row, 0, w] != lexicon.filter_subtypes[row, 0, w]:
            return False
        found_any |= words & lexicon.filter_subtypes[row, 1, w] != 0
        if words & lexicon.filter_subtypes[row, 2, w] != 0:
            return False
    return found_any or not stated & b.STATES_ANY_SUBTYPES


@part
def has_quality(o, protection):
    """Whether something protected from these qualities is protected from the object (CR 702.16a, j, k)."""
    if protection == 0:
        return False
    qualities = o.now_colors | o.now_types << v.PROTECTION_TYPES | 1 << v.PROTECTION_EVERYTHING
    if o.now_controller <= v.LAST_PROTECTED_FROM:
        qualities |= np.int64(1) << np.int64(v.PROTECTION_PLAYERS + o.now_controller)
    return protection & qualities != 0
