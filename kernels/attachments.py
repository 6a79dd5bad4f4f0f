"""What may be attached to what (CR 301.5, 301.6, 303.4, 702.16, 702.103)."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.characteristics import has, has_quality, host_is_there, is_related, matches
from headjudge.kernels.jit import part


@part
def is_kept(board, host, i):
    """Whether the host's protections do not remove this attachment (CR 702.16n, p)."""
    k = board.objects[host].keeps
    while 0 <= k < board.game[0].keeps and board.keeps[k].object == host:
        if board.keeps[k].attachment == i:
            return True
        k += 1
    return False


@part
def is_protected_from(board, i):
    """Whether protection of the host or player keeps the object from being attached (CR 702.16c, d).

    That of a card in another zone does nothing (CR 113.6).
    """
    o = board.objects[i]
    if o.attached_to < 0:
        return has_quality(o, board.players[-1 - o.attached_to].now_protection)
    host = board.objects[o.attached_to]
    return host.live and has_quality(o, host.now_protection) and not is_kept(board, o.attached_to, i)


@part
def may_enchant(board, lexicon, i):
    """Whether an Aura's host, which is there, is one that it may enchant (CR 303.4, 702.5)."""
    o = board.objects[i]
    if o.attached_to == i or is_protected_from(board, i):
        return False
    enchant = b.ENCHANT_CREATURE if o.booleans & b.BESTOWED else o.enchant
    if o.lost_abilities or enchant == b.ENCHANT_NOTHING:
        return False
    if o.attached_to < 0:
        # Every relation code is below ENCHANT_PLAYER + 1 and above ENCHANT_CREATURE.
        if enchant >= 0 or enchant == b.ENCHANT_CREATURE:
            return False
        return is_related(board.players, b.ENCHANT_PLAYER - enchant, -1 - o.attached_to, o.now_controller)
    host = board.objects[o.attached_to]
    if host.live and host.now_keywords & b.CANT_BE_ENCHANTED:
        return False
    if enchant == b.ENCHANT_CREATURE:
        return has(host, b.CREATURE)
    return enchant >= 0 and matches(board, lexicon, enchant, o.attached_to, o.now_controller, i)


@part
def may_equip(board, i):
    """Whether an Equipment's or Fortification's host, which is there, is one that it may be on (CR 301.5, 301.6)."""
    o = board.objects[i]
    if o.attached_to < 0 or o.attached_to == i or is_protected_from(board, i):
        return False
    host = board.objects[o.attached_to]
    if not host.live:  # where only an Aura that is Equipment besides can be
        return False
    if o.now_marks & b.EQUIPMENT and (not has(host, b.CREATURE) or host.now_keywords & b.CANT_BE_EQUIPPED):
        return False
    return not o.now_marks & b.FORTIFICATION or has(host, b.LAND)


@part
def illegal_aura(board, lexicon, i):
    """CR 704.5m: an Aura attached to something illegal or to nothing; a bestowed one is exempt (702.103f).

    One that is also a creature or a battle comes off what it is on first (303.4d, 704.5p).
    """
    o = board.objects[i]
    if not o.now_marks & b.AURA or o.booleans & b.BESTOWED:
        return False
    if not host_is_there(board, lexicon, i):
        return True
    return not has(o, b.CREATURE | b.BATTLE) and not may_enchant(board, lexicon, i)


@part
def illegal_equipment(board, lexicon, i):
    """CR 704.5n: an Equipment or Fortification attached to an illegal permanent or to a player."""
    o = board.objects[i]
    if not o.now_marks & (b.EQUIPMENT | b.FORTIFICATION) or o.attached_to == v.NONE:
        return False
    return not host_is_there(board, lexicon, i) or not may_equip(board, i)


@part
def illegal_attachment(board, lexicon, i):
    """CR 704.5p: an attached battle or creature, or whatever is no Aura, Equipment or Fortification."""
    o = board.objects[i]
    if o.attached_to == v.NONE:
        return False
    if not o.now_marks & (b.AURA | b.EQUIPMENT | b.FORTIFICATION):
        return True
    return has(o, b.CREATURE | b.BATTLE) and host_is_there(board, lexicon, i)


@part
def bestow_ends(board, lexicon, i):
    """CR 702.103f: a bestowed permanent that is unattached, on something illegal or without abilities."""
    o = board.objects[i]
    if not o.live or not o.booleans & b.BESTOWED:
        return False
    return o.lost_abilities or not host_is_there(board, lexicon, i) or not may_enchant(board, lexicon, i)
