"""In which order the effects of a layer apply: dependency (CR 613.8), else timestamps (613.7).

An effect depends on another if applying the other would change whether it exists, what it applies to, or what it does.
That is found by trial: the other is applied, all effects are looked at again, and everything is put back. What effects
read and write in a layer rules out most pairs beforehand. Bestow and reconfigure take part in layer 4 as effects of
their objects; they depend on nothing. They are numbered -1 - row of the object.
"""

from __future__ import annotations

from headjudge.kernels import bits as b
from headjudge.kernels import vocabulary as v
from headjudge.kernels.changes import apply_effect, is_changeable, types_after
from headjudge.kernels.characteristics import bestowed_is_an_aura, reconfigured_is_no_creature, subtypes_of
from headjudge.kernels.jit import part
from headjudge.kernels.reach import find_reach, is_active, is_fixed, you_of

# What an effect looks at to know whether and to what it applies, and what it changes.
CONTROLLERS = 1
TYPES = 2
COLORS = 4
KEYWORDS = 8
ABILITIES = 16
CARD_TYPES = 32  # what subtypes an effect can give depends on them (CR 205.3d)


@part
def filter_reads(f):
    """Return what a filter looks at."""
    reads = 0
    if f.conditions & (b.STATES_CONTROLLER | b.STATES_OWNER):  # of whom depends on who controls the source
        reads |= CONTROLLERS
    if f.conditions & b.STATES_TYPES:
        reads |= TYPES
    if f.conditions & b.STATES_COLORS:
        reads |= COLORS
    if f.conditions & b.STATES_KEYWORDS:
        reads |= KEYWORDS
    return reads


@part
def effect_reads(board, lexicon, effect, text):
    """Return what an effect looks at."""
    reads = 0
    looks_for_host = text.affects == b.AFFECTS_HOST
    if text.affects == b.AFFECTS_FILTER:
        reads |= filter_reads(lexicon.filters[text.filter])
        looks_for_host |= lexicon.filters[text.filter].host
    if text.while_ >= 0:
        reads |= filter_reads(lexicon.filters[text.while_])
        looks_for_host |= lexicon.filters[text.while_].host
    if looks_for_host and effect.source >= 0 and host_is_elsewhere(lexicon, board.objects[effect.source]):
        reads |= TYPES
    if (text.sets_subtypes or text.adds_subtypes) and text.set_types < 0:
        reads |= CARD_TYPES
    if effect.source >= 0:
        reads |= ABILITIES
        if text.control == b.CONTROL_YOU or text.while_ == b.LIFE_OF_YOU:
            reads |= CONTROLLERS
    return reads


@part
def host_is_elsewhere(lexicon, o):
    """Whether the object's host is in another zone than the battlefield as long as it is an Aura."""
    return o.enchant >= 0 and lexicon.filters[o.enchant].zone != b.BATTLEFIELD


@part
def effect_writes(text, layer):
    """Return what an effect changes in a layer."""
    if layer == b.LAYER_CONTROL:
        return CONTROLLERS
    if layer == b.LAYER_TYPES:
        changes_card_types = text.set_types >= 0 or text.add_types | text.remove_types != 0
        return TYPES | (ABILITIES | KEYWORDS if text.sets_subtypes else 0) | (CARD_TYPES if changes_card_types else 0)
    if layer == b.LAYER_COLORS:
        return COLORS
    changes_changeling = text.lose_all_abilities or (text.gain_keywords | text.lose_keywords) & b.CHANGELING != 0
    return KEYWORDS | (ABILITIES if text.lose_all_abilities else 0) | (TYPES if changes_changeling else 0)


@part
def still_reads(board, lexicon, effect):
    """Return what an effect still looks at: what it applies to is settled once it has begun to apply (CR 613.6)."""
    reads = effect_reads(board, lexicon, effect, lexicon.texts[effect.text])
    return reads & CARD_TYPES if effect.begun else reads


@part
def prepare_layer(board, lexicon, layer):
    """Queue the effects of a layer, oldest first, and what bestow and reconfigure do in layer 4."""
    game = board.game[0]
    game.queued = 0
    game.bestowed = 0
    game.next_bestowed = 0
    reads = 0
    writes = 0
    for n in range(game.effects):
        e = board.lists[b.ORDER, n]
        text = lexicon.texts[board.effects[e].text]
        if text.layers & layer:
            board.lists[b.QUEUE, game.queued] = e
            game.queued += 1
            reads |= effect_reads(board, lexicon, board.effects[e], text)
            writes |= effect_writes(text, layer)
    game.may_depend = game.queued > 1 and reads & writes != 0
    game.may_depend_on_bestow = False
    if layer == b.LAYER_TYPES:
        queue_bestowed(board)
        game.may_depend_on_bestow = game.bestowed > 0 and reads & (TYPES | CARD_TYPES) != 0


@part
def queue_bestowed(board):
    """Queue the objects that bestow or reconfigure change, by timestamp."""
    game = board.game[0]
    for i in range(game.objects):
        o = board.objects[i]
        if o.zone == b.BATTLEFIELD and (
            o.booleans & b.BESTOWED or (o.keywords & b.RECONFIGURE and o.attached_to != v.NONE)
        ):
            k = game.bestowed
            while k > 0 and board.objects[board.lists[b.BESTOWALS, k - 1]].timestamp > o.timestamp:
                board.lists[b.BESTOWALS, k] = board.lists[b.BESTOWALS, k - 1]
                k -= 1
            board.lists[b.BESTOWALS, k] = i
            game.bestowed += 1


@part
def next_effect(board, lexicon, layer):
    """Take the next effect off the queue: the oldest of those that wait for no other; NO_EFFECT if none is left."""
    game = board.game[0]
    chosen = -1
    if game.queued > 0:
        if game.may_depend and game.queued > 1:
            find_dependencies(board, lexicon, layer)
        for n in range(game.queued):
            if game.may_depend_on_bestow and waits_in_the_end_for_bestow(board, lexicon, n):
                continue
            if not game.may_depend or game.queued == 1 or not waits(board, n):
                chosen = n
                break
    if game.next_bestowed < game.bestowed:
        i = board.lists[b.BESTOWALS, game.next_bestowed]
        if chosen < 0 or board.objects[i].timestamp <= board.effects[board.lists[b.QUEUE, chosen]].timestamp:
            game.next_bestowed += 1
            return -1 - i
    if chosen < 0:
        return b.NO_EFFECT
    e = board.lists[b.QUEUE, chosen]
    for n in range(chosen, game.queued - 1):
        board.lists[b.QUEUE, n] = board.lists[b.QUEUE, n + 1]
    game.queued -= 1
    return e


@part
def find_dependencies(board, lexicon, layer):
    """Fill `depends[m, n]`: effect m of the queue depends on effect n, or on one that does, and so on."""
    game = board.game[0]
    depends = board.depends
    for m in range(game.queued):
        look(board, lexicon, board.lists[b.QUEUE, m])
    for n in range(game.queued):
        find_dependents(board, lexicon, layer, n)
    for k in range(game.queued):
        for m in range(game.queued):
            if depends[m, k]:
                for n in range(game.queued):
                    depends[m, n] |= depends[k, n]


@part
def find_dependents(board, lexicon, layer, n):
    """Fill `depends[m, n]` for each effect m of the queue: effect n is tried once for all of them, and taken back."""
    game = board.game[0]
    depends = board.depends
    tried = board.lists[b.QUEUE, n]
    writes = effect_writes(lexicon.texts[board.effects[tried].text], layer)
    any_may = False
    for m in range(game.queued):
        depends[m, n] = m != n and board.effects[board.lists[b.QUEUE, m]].reads & writes != 0
        any_may |= depends[m, n]
    if not any_may:
        return
    begun = board.effects[tried].begun
    found = board.effects[tried].found
    for i in range(game.objects):
        keep_for_trial(board, i)
    apply_effect(board, lexicon, tried, layer)
    for m in range(game.queued):
        if depends[m, n]:
            e = board.lists[b.QUEUE, m]
            depends[m, n] = looks_other(board, lexicon, e) or gives_others(board, lexicon, e, 0, game.objects)
    board.effects[tried].begun = begun
    board.effects[tried].found = found
    for i in range(game.objects):
        put_back(board, i)


@part
def waits(board, m):
    """Whether an effect of the queue waits for another; in a loop none waits for the others (CR 613.8b)."""
    for n in range(board.game[0].queued):
        if board.depends[m, n] and not board.depends[n, m]:
            return True
    return False


@part
def waits_in_the_end_for_bestow(board, lexicon, m):
    """Whether an effect of the queue, or one that it depends on, depends on bestow that is still to come."""
    game = board.game[0]
    if waits_for_bestow(board, lexicon, board.lists[b.QUEUE, m]):
        return True
    if game.may_depend and game.queued > 1:
        for n in range(game.queued):
            if board.depends[m, n] and waits_for_bestow(board, lexicon, board.lists[b.QUEUE, n]):
                return True
    return False


@part
def waits_for_bestow(board, lexicon, e):
    """Whether the effect depends on bestow or reconfigure of an object that is still to come."""
    game = board.game[0]
    look(board, lexicon, e)
    if not board.effects[e].reads & (TYPES | CARD_TYPES):
        return False
    for k in range(game.next_bestowed, game.bestowed):
        i = board.lists[b.BESTOWALS, k]
        keep_for_trial(board, i)
        apply_anything(board, lexicon, -1 - i, b.LAYER_TYPES)
        depends = looks_other(board, lexicon, e) or gives_others(board, lexicon, e, i, i + 1)
        put_back(board, i)
        if depends:
            return True
    return False


@part
def trial_row(board, i):
    """Return where an object is kept while another effect is tried: behind the objects and those kept for loops."""
    return 2 * (board.objects.shape[0] // 3) + i


@part
def keep_for_trial(board, i):
    """Keep an object as it is before another effect is tried on it."""
    aside = trial_row(board, i)
    board.objects[aside] = board.objects[i]
    for w in range(board.sets.shape[1]):
        board.sets[aside, w] = board.sets[i, w]


@part
def put_back(board, i):
    """Put an object back as it was."""
    aside = trial_row(board, i)
    board.objects[i] = board.objects[aside]
    for w in range(board.sets.shape[1]):
        board.sets[i, w] = board.sets[aside, w]


@part
def look(board, lexicon, e):
    """Note of an effect whether it exists, who its `you` is, what it would apply to, and what that depends on."""
    effect = board.effects[e]
    text = lexicon.texts[effect.text]
    effect.reads = still_reads(board, lexicon, effect)
    effect.exists = effect.begun or is_active(board, lexicon, e)
    effect.you = you_of(board, effect) if text.control == b.CONTROL_YOU else v.NO_SEAT
    if effect.exists and not effect.begun and not is_fixed(board, effect, text):
        find_reach(board, lexicon, e, board.reach[e])


@part
def looks_other(board, lexicon, e):
    """Whether another look at an effect, after another one was tried, shows something else."""
    effect = board.effects[e]
    text = lexicon.texts[effect.text]
    if effect.begun:
        return text.control == b.CONTROL_YOU and you_of(board, effect) != effect.you
    if is_active(board, lexicon, e) != effect.exists:
        return True
    if text.control == b.CONTROL_YOU and you_of(board, effect) != effect.you:
        return True
    if not effect.exists or is_fixed(board, effect, text):
        return False
    row = board.reach[board.reach.shape[0] - 1]
    find_reach(board, lexicon, e, row)
    for i in range(board.game[0].objects):
        if row[i] != board.reach[e, i]:
            return True
    return False


@part
def gives_others(board, lexicon, e, first, last):
    """Whether an effect can give one of some objects other subtypes than before the trial changed its card types."""
    effect = board.effects[e]
    text = lexicon.texts[effect.text]
    if not effect.exists or not (text.sets_subtypes or text.adds_subtypes):
        return False
    fixed = is_fixed(board, effect, text)
    for i in range(first, last):
        if board.reach[e, i] and is_changeable(board.objects[i], fixed) and fits_others(board, lexicon, effect.text, i):
            return True
    return False


@part
def fits_others(board, lexicon, row, i):
    """Whether other subtypes that the effect with this text gives fit an object than before the trial."""
    text = lexicon.texts[row]
    before = types_after(text, board.objects[trial_row(board, i)].now_types)
    after = types_after(text, board.objects[i].now_types)
    if before == after:
        return False
    for w in range(board.sets.shape[1]):
        given = lexicon.text_subtypes[row, 1, w]
        if text.sets_subtypes:
            given |= lexicon.text_subtypes[row, 0, w]
        fits = subtypes_of(lexicon, before, w) ^ subtypes_of(lexicon, after, w)
        if fits & ~lexicon.free_subtypes[w] & given:
            return True
    return False


@part
def apply_anything(board, lexicon, e, layer):
    """Apply an effect, or what bestow or reconfigure (-1 - row of the object) do to their object."""
    if e >= 0:
        apply_effect(board, lexicon, e, layer)
    elif board.objects[-1 - e].booleans & b.BESTOWED:
        bestowed_is_an_aura(board, lexicon, -1 - e)
    else:
        reconfigured_is_no_creature(board, lexicon, -1 - e)
