"""One check: every state-based action judged on one picture (CR 704.3)."""

from __future__ import annotations

import numpy as np

from headjudge.kernels import bits as b
from headjudge.kernels import groups, losses, rules
from headjudge.kernels import vocabulary as v
from headjudge.kernels.attachments import illegal_attachment, illegal_aura, illegal_equipment
from headjudge.kernels.characteristics import has, is_ability, is_pending
from headjudge.kernels.jit import inlined, part
from headjudge.kernels.moving import move


@part
def note_references(board):
    """Note on sources which of their abilities are pending, and on objects whether somebody attacks them.

    Returns whether a triggered ability of any scheme is pending (CR 704.6e).
    """
    game = board.game[0]
    objects = board.objects
    if not game.seen & (b.SEEN_ABILITIES | b.SEEN_COMBAT) and not game.noted:
        return False
    game.noted = True
    for i in range(game.objects):
        objects[i].pending = 0
        objects[i].attacked = False
    scheme_pending = False
    for i in range(game.objects):
        o = objects[i]
        if is_ability(o):
            if is_pending(o) and o.source >= 0:
                source = objects[o.source]
                if o.kind >= b.TRIGGERED_ABILITY:
                    scheme_pending |= has(source, b.SCHEME)
                    if not source.moved:
                        source.pending |= b.PENDING_TRIGGER
                        if o.kind == b.CHAPTER_ABILITY:
                            source.pending |= b.PENDING_CHAPTER
                        elif o.kind == b.ROOM_ABILITY:
                            source.pending |= b.PENDING_ROOM
        elif o.live and o.attacking >= 0 and has(o, b.CREATURE) and not objects[o.attacking].moved:
            objects[o.attacking].attacked = True
    return scheme_pending


@inlined
def judge_permanent(board, lexicon, i):
    """Return the bits of the rules that apply to a permanent by itself."""
    o = board.objects[i]
    found = 0
    if has(o, b.CREATURE):
        found |= rules.toughness_zero(o) << b.TOUGHNESS_ZERO
        found |= rules.lethal_damage(o) << b.LETHAL_DAMAGE
        found |= rules.deathtouch_damage(o) << b.DEATHTOUCH_DAMAGE
    found |= rules.loyalty_zero(o) << b.LOYALTY_ZERO
    found |= rules.counters_cancel(o) << b.COUNTERS_CANCEL
    found |= exceeds_limit(board, lexicon, o) << b.COUNTER_LIMIT
    if o.now_marks or o.attached_to != v.NONE:
        found |= illegal_aura(board, lexicon, i) << b.ILLEGAL_AURA
        found |= illegal_equipment(board, lexicon, i) << b.ILLEGAL_EQUIPMENT
        found |= illegal_attachment(board, lexicon, i) << b.ILLEGAL_ATTACHMENT
        found |= rules.saga_finished(o) << b.SAGA_FINISHED
    if has(o, b.BATTLE):
        found |= rules.siege_defense_zero(o) << b.SIEGE_DEFENSE_ZERO
        found |= rules.battle_defense_zero(o) << b.BATTLE_DEFENSE_ZERO
        found |= groups.battle_no_protector(board.players, o) << b.BATTLE_NO_PROTECTOR
        found |= groups.battle_illegal_protector(board.players, o) << b.BATTLE_ILLEGAL_PROTECTOR
    return found


@inlined
def exceeds_limit(board, lexicon, o):
    """CR 704.5r: an ability of the permanent limits a kind of counter, and it has more."""
    if o.lost_abilities:
        return False
    for k in range(lexicon.limit_start[o.traits], lexicon.limit_start[o.traits + 1]):
        if counters_of_kind(board, o, lexicon.limit_kind[k]) > lexicon.limit_most[k]:
            return True
    return False


@part
def counters_of_kind(board, o, kind):
    """Return how many counters of a kind are on an object."""
    if kind < 7:
        return (o.plus_counters, o.minus_counters, o.loyalty, o.defense, o.lore, o.shield, o.finality)[kind]
    c = o.side_counters
    while 0 <= c < board.game[0].counters and board.counters[c].object == board.counters[o.side_counters].object:
        if board.counters[c].kind == kind:
            return board.counters[c].count
        c += 1
    return 0


@part
def judge_elsewhere(board, o, scheme_pending):
    """Return the bits of the rules that apply to an object that is no permanent."""
    game = board.game[0]
    found = 0
    found |= rules.token_off_battlefield(o) << b.TOKEN_OFF_BATTLEFIELD
    found |= rules.copy_off_zone(o) << b.COPY_OFF_ZONE
    found |= rules.dungeon_completed(o) << b.DUNGEON_COMPLETED
    found |= rules.commander_zone(game, o) << b.COMMANDER_ZONE
    found |= rules.scheme_turned_down(game, o, scheme_pending) << b.SCHEME_TURNED_DOWN
    found |= rules.phenomenon(game, o) << b.PHENOMENON_ENDS
    return found


@part
def judge(board, lexicon):
    """Set `rules` of every object and player; return the bits of all rules that apply to something."""
    game = board.game[0]
    scheme_pending = note_references(board)
    found = np.int64(losses.judge_losses(game, board.players))
    keywords = game.keywords
    legends = 0
    worlds = 0
    roles = 0
    for i in range(game.objects):
        o = board.objects[i]
        if o.zone == b.NOWHERE:
            o.rules = 0
        elif o.zone != b.BATTLEFIELD:
            o.rules = judge_elsewhere(board, o, scheme_pending)
        elif o.live:
            o.rules = judge_permanent(board, lexicon, i) | rules.copy_off_zone(o) << b.COPY_OFF_ZONE
            legends += groups.is_legend(o)
            worlds += o.now_supertypes & b.WORLD != 0
            roles += groups.is_attached_role(board, o)
        else:
            o.rules = 0
        found |= o.rules
    if legends > 1:
        groups.all_but_one(board, b.LEGEND_RULE, legends)
    if roles > 1:
        groups.all_but_one(board, b.EXTRA_ROLE, roles)
    if game.effects and (worlds or game.worlds):
        groups.note_worlds(board)
    if worlds > 1:
        groups.world_rule(board)
    if keywords & b.SPACE_SCULPTOR:
        sector(board)
    if keywords & b.START_YOUR_ENGINES:
        found |= losses.start_engines(board)
    if legends > 1 or roles > 1 or worlds > 1 or keywords & b.SPACE_SCULPTOR:
        for i in range(game.objects):
            found |= board.objects[i].rules
    return found


@part
def sector(board):
    """CR 704.5u: while a permanent has space sculptor, each creature without a sector gets one."""
    for i in range(board.game[0].objects):
        o = board.objects[i]
        if o.live and has(o, b.CREATURE) and o.sector == v.NO_SECTOR:
            o.rules |= 1 << b.SECTOR


@part
def clear_marks(board):
    """Forget what happened before this check (CR 704.5b, 704.5h, 704.6d)."""
    game = board.game[0]
    for seat in range(game.players):
        board.players[seat].booleans &= ~b.DREW_FROM_EMPTY
    if game.seen & b.SEEN_MARKS:
        for i in range(game.objects):
            board.objects[i].booleans &= ~b.OBJECT_MARKS


@part
def stray_abilities_cease(board):
    """Let abilities cease that are neither on the stack nor waiting, which is no action; returns whether any did."""
    game = board.game[0]
    found = False
    if game.seen & b.SEEN_ABILITIES:
        for i in range(game.objects):
            o = board.objects[i]
            if is_ability(o) and not is_pending(o) and o.zone != b.NOWHERE:
                move(board, i, b.NOWHERE)
                found = True
    return found
