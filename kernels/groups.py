"""The state-based actions that compare objects (CR 704.5j, k, z) and those with a choice of player (x, y)."""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import has
from headjudge.kernels.jit import part
from headjudge.kernels.loading import hash_table_size


@part
def is_legend(o):
    """CR 704.5j: legendary, with a name (201.2a), and not exempt."""
    return (
        o.live and o.now_supertypes & b.LEGENDARY != 0 and o.name != v.NAMELESS and not o.now_rules & b.NO_LEGEND_RULE
    )


@part
def is_attached_role(board, o):
    """CR 303.7a: a Role that is attached to a permanent."""
    if not o.live or not o.now_marks & b.ROLE or o.attached_to < 0:
        return False
    host = board.objects[o.attached_to]
    return host.live and not host.moved


@part
def group_key(o, rule):
    """Return what the members of one group share besides their controller."""
    return o.name if rule == b.LEGEND_RULE else o.attached_to


@part
def is_member(board, o, rule):
    """Whether an object takes part in the grouping of a rule."""
    return is_legend(o) if rule == b.LEGEND_RULE else is_attached_role(board, o)


@part
def is_kept_rather(a, c):
    """Whether `a` is kept rather than `c`: chosen, or newer; among equals the later row is `a`."""
    if a.choice_keep != c.choice_keep:
        return a.choice_keep > c.choice_keep
    return a.timestamp >= c.timestamp


@part
def all_but_one(board, rule, members):
    """CR 704.5j, 704.5z: of each group with one controller and one name (host) all but one are named by the rule.

    The table holds the best member found so far of each group; `slots` is cleared for as many as there are members.
    """
    game = board.game[0]
    objects = board.objects
    slots = board.slots
    size = hash_table_size(members)
    for k in range(size):
        slots[k] = -1
    bit = np.int64(1) << np.int64(rule)
    for i in range(game.objects):
        o = objects[i]
        if not is_member(board, o, rule):
            continue
        k = slot_of(board, rule, o, size)
        if slots[k] < 0:
            slots[k] = i
            continue
        best = objects[slots[k]]
        if rule == b.LEGEND_RULE and best.choice_keep == b.KEEP and o.choice_keep == b.KEEP:
            game.reason = b.TWO_KEPT
            game.reason_object = i
        if is_kept_rather(o, best) if rule == b.LEGEND_RULE else o.timestamp >= best.timestamp:
            best.rules |= bit
            slots[k] = i
        else:
            o.rules |= bit
    if rule == b.LEGEND_RULE:
        for i in range(game.objects):
            if objects[i].rules & bit:
                kept = objects[slots[slot_of(board, rule, objects[i], size)]]
                kept.choice_keep = min(kept.choice_keep, b.WAS_KEPT)


@part
def slot_of(board, rule, o, size):
    """Return the place in the table of the group of an object: of its best member so far, or an empty one."""
    slots = board.slots
    key = group_key(o, rule)
    k = (np.int64(key) * 0x9E3779B1 + np.int64(o.now_controller) * 0x85EBCA77 >> 7) & size - 1
    while slots[k] >= 0:
        best = board.objects[slots[k]]
        if best.now_controller == o.now_controller and group_key(best, rule) == key:
            break
        k = k + 1 & size - 1
    return k


@part
def note_worlds(board):
    """Let the clock of a permanent that was not world on the last picture, and is, start now (CR 704.5k)."""
    game = board.game[0]
    worlds = 0
    newest = np.int64(v.NO_TIMESTAMP)
    for i in range(game.objects):
        o = board.objects[i]
        if o.live and o.now_supertypes & b.WORLD:
            newest = max(newest, o.world_since)
    for i in range(game.objects):
        o = board.objects[i]
        is_world = o.live and o.now_supertypes & b.WORLD != 0
        if is_world and not o.was_world and game.worlds >= 0:
            o.world_since = newest + 1
            o.became_world = True
        o.was_world = is_world
        worlds += is_world
    game.worlds = worlds


@part
def world_rule(board):
    """CR 704.5k: only the permanent that has been world for the shortest time stays; in a tie none does."""
    game = board.game[0]
    newest = -1
    tie = False
    for i in range(game.objects):
        o = board.objects[i]
        if o.live and o.now_supertypes & b.WORLD:
            if newest < 0 or o.world_since > board.objects[newest].world_since:
                newest = i
                tie = False
            elif o.world_since == board.objects[newest].world_since:
                tie = True
    for i in range(game.objects):
        o = board.objects[i]
        if o.live and o.now_supertypes & b.WORLD and (i != newest or tie):
            o.rules |= 1 << b.WORLD_RULE


@part
def may_protect(players, o, seat):
    """CR 310.11, 310.12a: a Siege is protected by an opponent of its controller, another battle by its controller."""
    if not players[seat].booleans & b.IN_GAME:
        return False
    if o.now_marks & b.SIEGE:
        return players[seat].team != players[o.now_controller].team
    return seat == o.now_controller


@part
def battle_no_protector(players, o):
    """CR 704.5x: no protector in the game, and nobody attacks it."""
    if not has(o, b.BATTLE) or o.attacked:
        return False
    return o.protector == v.NO_SEAT or not players[o.protector].booleans & b.IN_GAME


@part
def battle_illegal_protector(players, o):
    """CR 704.5y: its protector, in the game, may not be its protector."""
    if not has(o, b.BATTLE) or o.protector == v.NO_SEAT or not players[o.protector].booleans & b.IN_GAME:
        return False
    return not may_protect(players, o, o.protector)


@part
def choose_protector(game, players, o, i):
    """Return the new protector: as chosen, else the next one in turn order who may be; NO_SEAT if nobody may.

    The choice must be lawful when it is made; later on, who was chosen may have left the game.
    """
    first = v.NO_SEAT
    for step in range(game.players):
        seat = (o.now_controller + step) % game.players
        if may_protect(players, o, seat):
            if seat == o.choice_protector:
                o.was_chosen = True
                return seat
            if first == v.NO_SEAT:
                first = seat
    if first != v.NO_SEAT and o.choice_protector != b.UNCHOSEN and not o.was_chosen:
        game.reason = b.PROTECTOR_NOT_ON_OFFER
        game.reason_object = i
    return first
