"""One board as records, the working form of the kernels: loaded from columns, judged and changed, stored back.

Everything that a rule looks at stands in the record of the object or player it looks at. The fields `now_*` are the
characteristics after all effects (CR 613), derived anew before every pass.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from headjudge.kernels.jit import config
from headjudge.kernels.tables import Column

#: The board as a whole: one record.
GAME: Final = np.dtype(
    [
        ("variant", np.int32),
        ("active_player", np.int32),
        ("step", np.int32),
        ("skips", np.int32),
        ("round_expired", np.bool_),
        ("planar_controller", np.int32),
        ("objects", np.int32),  # how many
        ("players", np.int32),
        ("counters", np.int32),
        ("keeps", np.int32),
        ("effects", np.int32),
        ("teams", np.int32),  # distinct teams, departed ones included
        ("passes", np.int32),
        ("most_passes", np.int32),  # so many are made at most; 0 = until nothing applies
        ("tells_offers", np.bool_),  # rows say which choices there were
        ("stores", np.bool_),  # the boards afterwards are wanted, not only who is in the game then
        ("recorded_pass", np.int32),  # the pass that rows are recorded with now
        ("outcome", np.int32),
        ("status", np.int32),
        ("reason", np.int32),  # REASONS, where the status is rejected
        ("reason_object", np.int32),
        ("locks", np.bool_),  # some effects are fixed to what they match at the start
        ("locked", np.bool_),  # effects without a source have been fixed to what they matched
        ("queued", np.int32),  # effects of the layer that are still to be applied
        ("bestowed", np.int32),  # objects that bestow or reconfigure change, and the next of them
        ("next_bestowed", np.int32),
        ("may_depend", np.bool_),
        ("may_depend_on_bestow", np.bool_),
        ("sets_matter", np.bool_),  # some filter may look at subtypes
        (
            "seen",
            np.int32,
        ),  # bits.SEEN_*: what the picture has at all, so that rules about other things are not looked at
        ("keywords", np.int32),  # every keyword on the battlefield
        ("worlds", np.int32),  # how many permanents were world on the last picture, -1 before the first
        ("noted", np.bool_),  # references have been noted on objects
        ("departed", np.bool_),  # some player is not in the game
        ("involved", np.int32),  # objects that the event may change
        ("next_step", np.int32),  # where a procedure leads to, -1
        ("priority", np.int32),  # whether players get priority there, -1 without a procedure
        ("rows", np.int64),  # rows written so far, over all boards of this run
        ("extras", np.int64),
        ("fixed", np.int64),
        ("full", np.bool_),  # there was no room for a row: this board has to be done again with more
    ],
    align=True,
)

PLAYER: Final = np.dtype(
    [
        ("team", np.int32),
        ("life", np.int32),
        ("poison", np.int32),
        ("speed", np.int32),
        ("booleans", np.int32),  # bits of the table's column `flags`
        ("commander_damage", np.int32),  # the most from one commander
        ("choice_loss", np.int32),  # loss_replacement: a source, -1 - an effect, NONE
        # after all effects
        ("now_booleans", np.int32),
        ("now_protection", np.int64),
        # judged
        ("rules", np.int64),
        ("loses", np.bool_),
        ("departs", np.bool_),
        ("replacement", np.int32),  # the effect that replaces the loss, -1, and the player whom it is about
        ("replaced_for", np.int32),
        ("life_replacement", np.int32),  # likewise of the team's life in Archenemy Commander
        ("life_replaced_for", np.int32),
        ("permanents", np.int32),
        ("storied", np.int32),
        ("granted", np.int32),  # keywords among the permanents they control
    ],
    align=True,
)

OBJECT: Final = np.dtype(
    [
        # as given, never changed
        ("name", np.int32),
        ("kind", np.int32),
        ("owner", np.int32),
        ("types", np.int32),
        ("supertypes", np.int32),
        ("colors", np.int32),
        ("subtypes", np.int32),
        ("power", np.int32),
        ("toughness", np.int32),
        ("timestamp", np.int64),
        ("keywords", np.int32),
        ("enchant", np.int32),
        ("protection", np.int64),
        ("final_chapter", np.int32),
        ("graveyard_replacement", np.int32),
        ("mana_value", np.int32),
        ("traits", np.int32),
        ("source", np.int32),
        ("components", np.int32),  # how many, the top one included; 0 = just itself
        ("token_components", np.int32),
        ("first_card", np.int32),  # the first component that is a card: row of the table, -1
        # as given, changed by events
        ("zone", np.int32),
        ("controller", np.int32),
        ("booleans", np.int32),  # bits of the table's column `flags`
        ("damage", np.int32),
        ("attached_to", np.int32),
        ("attacking", np.int32),
        ("plus_counters", np.int32),
        ("minus_counters", np.int32),
        ("loyalty", np.int32),
        ("defense", np.int32),
        ("lore", np.int32),
        ("shield", np.int32),
        ("finality", np.int32),
        ("regeneration", np.int32),
        ("protector", np.int32),
        ("sector", np.int32),
        ("world_since", np.int64),
        ("was_world", np.bool_),  # on the last picture
        ("became_world", np.bool_),  # in this settling
        ("side_counters", np.int32),  # its first counter of a kind without a column, -1
        ("side_power", np.int64),  # what those add in layer 7c
        ("side_toughness", np.int64),
        ("side_keywords", np.int32),
        ("keeps", np.int32),  # its first kept attachment, -1
        ("moved", np.bool_),  # changed zones in this settling: no longer what references meant (CR 400.7)
        # choices
        ("choice_keep", np.int32),  # bits.KEEP
        ("was_chosen", np.bool_),  # its choice of a protector was lawful when it was made
        ("choice_command", np.int32),  # 0 no, 1 yes, -1 not stated
        ("choice_protector", np.int32),
        ("choice_sector", np.int32),
        ("choice_replace", np.int32),
        ("choice_destination", np.int32),
        # after all effects
        ("live", np.bool_),  # a permanent that is phased in
        ("now_types", np.int32),
        ("now_supertypes", np.int32),
        ("now_colors", np.int32),
        ("now_marks", np.int32),  # bits of vocabulary.SUBTYPES
        ("now_keywords", np.int32),
        ("now_protection", np.int64),
        ("now_power", np.int64),
        ("now_toughness", np.int64),
        ("now_controller", np.int32),
        ("now_rules", np.int32),  # bits of the `rule` words of effects
        ("lost_abilities", np.bool_),
        ("gained_changeling", np.bool_),  # in layer 6: what else asks for its subtypes finds every creature type
        # judged
        ("rules", np.int64),
        ("to_graveyard", np.bool_),
        ("destroyed", np.bool_),
        ("shuffled", np.bool_),  # by an effect that replaced a loss
        ("exiled", np.bool_),
        ("destination", np.int32),
        ("replaced_by", np.int32),
        ("saved_by", np.int32),  # what replaces its destruction: REPLACEMENTS, SHIELD_COUNTER; -1
        ("umbra", np.int32),  # the umbra on it that would be used, -1
        ("new_protector", np.int32),
        ("pending", np.int32),  # bits: it is the source of an ability that waits or is on the stack
        ("attacked", np.bool_),
        ("ends", np.bool_),  # its bestow ends
        ("abandoned", np.bool_),  # its controller has left the game
        ("stops_fighting", np.bool_),  # it leaves combat as attacker or blocker
        ("stops_being_attacked", np.bool_),
        ("remembered", np.bool_),  # it was there on the last picture, and then:
        ("was_controller", np.int32),
        ("was_protector", np.int32),
        ("was_battle", np.bool_),
        ("used", np.bool_),  # an umbra that has replaced a destruction in this event
    ],
    align=True,
)

EFFECT: Final = np.dtype(
    [
        ("text", np.int32),
        ("source", np.int32),
        ("controller", np.int32),
        ("until", np.int32),
        ("timestamp", np.int64),
        ("locks", np.bool_),  # without a source, and with a filter: fixed to what it matched at the start
        ("found", np.bool_),  # what it is fixed to has been found
        ("over", np.bool_),
        ("per", np.int64),
        ("begun", np.bool_),  # it has applied to something in this derivation
        ("active", np.bool_),  # its rule holds now
        # as it was looked at before others are tried (CR 613.8)
        ("exists", np.bool_),
        ("you", np.int32),
        ("reads", np.int32),
    ],
    align=True,
)

SIDE_COUNTER: Final = np.dtype([("object", np.int32), ("kind", np.int32), ("count", np.int32)], align=True)
KEEP: Final = np.dtype([("object", np.int32), ("attachment", np.int32)], align=True)

#: A row of `actions`; the fields of an object are those before the event (CR 704.8).
ROW: Final = np.dtype(
    [
        ("state", np.int64),
        ("pass_", np.int32),
        ("rule", np.int32),
        ("kind", np.int32),
        ("object", np.int32),  # row within the state, -1
        ("seat", np.int32),  # -1
        ("from_zone", np.int32),  # -1
        ("to_zone", np.int32),
        ("amount", np.int32),  # NULL
        ("replaced_by", np.int32),  # -1
        ("controller", np.int32),
        ("power", np.int64),  # NULL
        ("toughness", np.int64),
        ("damage", np.int32),
        ("plus_counters", np.int32),
        ("minus_counters", np.int32),
        ("loyalty", np.int32),
        ("defense", np.int32),
        ("lore", np.int32),
        ("shield", np.int32),
        ("finality", np.int32),
    ],
    align=True,
)
#: A counter of a kind without a column, of the object in a row of `actions`.
EXTRA: Final = np.dtype([("row", np.int64), ("kind", np.int32), ("count", np.int32)], align=True)


#: Characteristics after all effects.
DERIVED: Final = np.dtype(
    [
        ("power", np.int64),  # NULL for what is no creature
        ("toughness", np.int64),
        ("controller", np.int16),
        ("types", np.uint16),
        ("supertypes", np.uint8),
        ("colors", np.uint8),
        ("keywords", np.uint16),
    ],
    align=True,
)

#: What became of a board.
RESULT: Final = np.dtype(
    [
        ("passes", np.int32),
        ("rows", np.int32),
        ("reason_object", np.int32),
        ("outcome", np.int8),
        ("status", np.int8),
        ("reason", np.int8),
        ("next_step", np.int8),  # of a procedure, or -1
        ("priority", np.int8),  # after a procedure, or -1
    ],
    align=True,
)


#: What an effect without a source is fixed to (CR 611.2c, d): a row with its `per`, then one for each object.
#: Without an effect (bits.NO_EFFECT): since when the object has been world (CR 704.5k).
FIXED: Final = np.dtype(
    [("state", np.int64), ("effect", np.int32), ("object", np.int32), ("number", np.int64)], align=True
)


class Board(NamedTuple):
    """Room for one board, and for the rows of many.

    Few arrays, because each is handed over as seven numbers at every call: behind the objects there is room for as many
    of an earlier board, to find loops, and for those on which an effect is tried; behind players and counters for
    earlier ones.
    """

    game: Column  # GAME[1]
    players: Column  # PLAYER[2 * players]
    objects: Column  # OBJECT[3 * objects]
    counters: Column  # SIDE_COUNTER[2 * counters]
    keeps: Column  # KEEP
    effects: Column  # EFFECT
    lists: Column  # int32[4, effects or objects]: bits.ORDER, QUEUE, BESTOWALS, INVOLVED
    reach: Column  # bool[effects + 1, objects]: what each effect applies to; the last row is for another look
    depends: Column  # bool[effects, effects]
    sets: Column  # uint64[3 * objects, words]: subtypes after all effects
    slots: Column  # int32: a hash table
    rows: Column  # ROW
    extras: Column  # EXTRA
    fixed: Column  # FIXED
    derived: Column  # DERIVED, of all objects of the batch; only where that is asked for


def records(dtype: np.dtype[Any], count: int) -> Any:
    """Return `count` records for kernels, which read fields as attributes: interpreted, that takes a slower array."""
    array = np.zeros(count, dtype)
    return array.view(np.recarray) if config.DISABLE_JIT else array
