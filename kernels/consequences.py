"""What follows at once and is no state-based action: departures, bestow ending, leaving combat, designations."""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.attachments import bestow_ends
from headjudge.kernels.characteristics import has, is_ability, is_pending
from headjudge.kernels.event import record_triggers
from headjudge.kernels.jit import part
from headjudge.kernels.losses import in_game
from headjudge.kernels.moving import is_in_combat, leave_combat, move
from headjudge.kernels.recording import record_object, record_player


@part
def record_departures(board, state):
    """CR 800.4a: write who leaves, and what leaves the battlefield with them; returns whether anyone does."""
    game = board.game[0]
    someone = False
    for seat in range(game.players):
        if board.players[seat].departs:
            someone = True
            record_player(board, state, b.PLAYER_LEAVES, b.CONSEQUENCE, seat, v.NULL, -1)
    if someone:
        for i in range(game.objects):
            o = board.objects[i]
            if o.zone != b.NOWHERE and board.players[o.owner].departs:
                record_triggers(board, state, i, b.NOWHERE)
    return someone


@part
def depart(board):
    """CR 800.4a: take the players who lost out of the game with everything they own."""
    game = board.game[0]
    for seat in range(game.players):
        if board.players[seat].departs and planar_controller(game) == seat:
            pass_planar_control(board, seat)
    for i in range(game.objects):
        o = board.objects[i]
        if is_of_phenomenon(board, o):
            if board.players[o.owner].departs or board.players[o.controller].departs:
                o.owner = planar_controller(game)
                o.controller = o.owner
        elif o.zone != b.NOWHERE and board.players[o.owner].departs:
            move(board, i, b.NOWHERE)
    for seat in range(game.players):
        board.players[seat].departs = False


@part
def is_of_phenomenon(board, o):
    """CR 901.10b: an ability of a phenomenon that is on the stack, which stays with the new planar controller."""
    if not board.game[0].variant & b.PLANECHASE or not is_ability(o) or o.zone != b.STACK or o.source < 0:
        return False
    return board.objects[o.source].types & b.PHENOMENON != 0


@part
def planar_controller(game):
    """Return the seat of the planar controller."""
    return game.active_player if game.planar_controller == v.NO_SEAT else game.planar_controller


@part
def pass_planar_control(board, seat):
    """CR 901.6: the next player in turn order becomes the planar controller and controls the face-up planes."""
    game = board.game[0]
    if not game.variant & b.PLANECHASE:
        return
    for step in range(1, game.players):
        heir = (seat + step) % game.players
        if in_game(board.players[heir]):
            game.planar_controller = heir
            for i in range(game.objects):
                o = board.objects[i]
                if o.zone == b.COMMAND and has(o, b.PLANE | b.PHENOMENON) and o.controller == seat:
                    if o.booleans & b.FACE_UP:
                        o.controller = heir
            return


@part
def has_lost_its_controller(board, o):
    """Whether an object is controlled by a player who has left (CR 800.4a, c, d)."""
    if o.zone == b.BATTLEFIELD or o.zone == b.STACK or o.zone == b.WAITING:
        return not in_game(board.players[o.now_controller])
    if o.zone == b.COMMAND and o.kind <= b.TOKEN and not o.now_types & b.COMMAND_ZONE_ONLY:
        return not in_game(board.players[o.now_controller])
    return False


@part
def abandon(board, state, i):
    """CR 800.4a: exile what a departed player controls; abilities and copies on the stack cease."""
    o = board.objects[i]
    if is_ability(o) or o.zone == b.WAITING or (o.zone == b.STACK and o.kind != b.CARD):
        move(board, i, b.NOWHERE)
    else:
        record_object(board, state, b.PLAYER_LEAVES, b.CONSEQUENCE, i, b.EXILE, v.NULL, -1)
        record_triggers(board, state, i, b.EXILE)
        move(board, i, b.EXILE)


@part
def attacked_object_is_gone(board, o):
    """Whether what the object attacks has left the battlefield or the game (CR 506.4c)."""
    if o.attacking == v.NOTHING or o.attacking == v.NONE:
        return False
    if o.attacking < 0:
        return not in_game(board.players[-1 - o.attacking])
    attacked = board.objects[o.attacking]
    return attacked.moved or not attacked.live


@part
def note_attacked(board):
    """Note on permanents whether somebody attacks them."""
    objects = board.objects
    board.game[0].noted = True
    for i in range(board.game[0].objects):
        objects[i].attacked = False
    for i in range(board.game[0].objects):
        o = objects[i]
        if o.live and o.attacking >= 0:
            objects[o.attacking].attacked = objects[o.attacking].live


@part
def changed_sides(o):
    """CR 506.4: the controller, or the protector of an attacked battle, is another than on the last picture."""
    if not o.remembered or not (o.attacked or is_in_combat(o)):
        return False
    if o.now_controller != o.was_controller:
        return True
    return o.attacked and has(o, b.BATTLE) and o.protector != o.was_protector


@part
def stops_fighting(o):
    """CR 506.4: an attacker or blocker that is no creature any more, or is a battle."""
    return is_in_combat(o) and (not has(o, b.CREATURE) or has(o, b.BATTLE))


@part
def stops_being_attacked(o):
    """CR 506.4, 506.4e: an attacked permanent that is neither planeswalker nor battle any more.

    One that was a battle and is a planeswalker still is attacked only if its protector is its controller.
    """
    if not o.attacked or has(o, b.BATTLE):
        return False
    if not has(o, b.PLANESWALKER):
        return True
    return o.remembered and o.was_battle and o.protector != o.now_controller


@part
def remember_combat(board):
    """Keep what decides on the next picture whether a permanent stays in combat."""
    for i in range(board.game[0].objects):
        o = board.objects[i]
        o.remembered = o.live
        o.was_controller = o.now_controller
        o.was_protector = o.protector
        o.was_battle = has(o, b.BATTLE)


@part
def follow(board, lexicon, state):
    """Judge one round of consequences on the picture and carry it out; returns whether there were any."""
    game = board.game[0]
    objects = board.objects
    leaving = record_departures(board, state)
    found = leaving
    designations = game.keywords & (b.ASCEND | b.STORIED) != 0
    seen = game.seen & (b.SEEN_COMBAT | b.SEEN_BESTOWED | b.SEEN_SECTORS)
    if not (leaving or game.departed or designations or seen):
        return False
    note_attacked(board)
    for i in range(game.objects):
        o = objects[i]
        # 800.4a: what the players own goes first, and only what they still control then is exiled.
        o.abandoned = game.departed and not leaving and has_lost_its_controller(board, o)
        o.ends = bestow_ends(board, lexicon, i)
        changed = o.live and changed_sides(o)
        o.stops_fighting = changed or (o.live and stops_fighting(o))
        o.stops_being_attacked = changed or (o.live and stops_being_attacked(o))
    remember_combat(board)
    for i in range(game.objects):
        o = objects[i]
        if o.live and o.attacking != v.NONE and attacked_object_is_gone(board, o):
            o.attacking = v.NOTHING
        if o.live and o.attacking >= 0 and objects[o.attacking].stops_being_attacked:
            o.attacking = v.NOTHING
    for i in range(game.objects):
        o = objects[i]
        if o.ends:
            record_object(board, state, b.BESTOW_ENDS, b.CONSEQUENCE, i, o.zone, v.NULL, -1)
            o.attached_to = v.NONE
            o.booleans &= ~b.BESTOWED
        # 506.4d: what fights as a creature goes on fighting though it is attacked no more.
        if o.stops_fighting or (o.stops_being_attacked and not is_in_combat(o)):
            record_object(board, state, b.REMOVED_FROM_COMBAT, b.CONSEQUENCE, i, o.zone, v.NULL, -1)
        if o.stops_fighting:
            leave_combat(o)
        found |= o.ends or o.stops_fighting or o.stops_being_attacked or o.abandoned
        if o.abandoned:
            abandon(board, state, i)
    found |= sectors_end(board)
    found |= designate(board, state)
    if leaving:
        depart(board)
    return found


@part
def sectors_end(board):
    """CR 702.158b: sectors last while there is a permanent with space sculptor, or an ability of one."""
    game = board.game[0]
    if not game.seen & b.SEEN_SECTORS or game.keywords & b.SPACE_SCULPTOR:
        return False
    for i in range(game.objects):
        o = board.objects[i]
        if is_ability(o) and is_pending(o) and o.source >= 0 and board.objects[o.source].keywords & b.SPACE_SCULPTOR:
            return False
    for i in range(game.objects):
        board.objects[i].sector = v.NO_SECTOR
    return True


@part
def designate(board, state):
    """CR 702.131b, 702.195a: the city's blessing and the enduring story, for the rest of the game."""
    game = board.game[0]
    if not game.keywords & (b.ASCEND | b.STORIED):
        return False
    for seat in range(game.players):
        p = board.players[seat]
        p.permanents = 0
        p.storied = 0
        p.granted = 0
    for i in range(game.objects):
        o = board.objects[i]
        if o.live:
            p = board.players[o.now_controller]
            p.permanents += 1
            p.storied += (
                o.now_types & b.ARTIFACT != 0 or o.now_marks & b.SAGA != 0 or o.now_supertypes & b.LEGENDARY != 0
            )
            p.granted |= o.now_keywords
    found = False
    for seat in range(game.players):
        p = board.players[seat]
        if not in_game(p):
            continue
        if p.granted & b.ASCEND and p.permanents >= 10 and not p.booleans & b.HAS_CITY_BLESSING:
            p.booleans |= b.HAS_CITY_BLESSING
            record_player(board, state, b.CITY_BLESSING, b.CONSEQUENCE, seat, v.NULL, -1)
            found = True
        if p.granted & b.STORIED and p.storied >= 3 and not p.booleans & b.HAS_ENDURING_STORY:
            p.booleans |= b.HAS_ENDURING_STORY
            record_player(board, state, b.ENDURING_STORY, b.CONSEQUENCE, seat, v.NULL, -1)
            found = True
    return found
