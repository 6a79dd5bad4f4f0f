// The five rules that columns alone can express, as a loop over columns of headjudge.Boards: what the machine allows.
// Words of the vocabulary (BATTLEFIELD, CREATURE, ...) come from headjudge.kernels.bits, by the command line.
#include <stdint.h>

void judge_objects(int64_t n, const uint8_t *zone, const uint8_t *kind, const uint16_t *flags, const uint16_t *types,
                   const uint16_t *keywords, const int32_t *toughness, const int32_t *plus, const int32_t *minus,
                   const int32_t *damage, int64_t *found)
{
    int64_t toughness_zero = 0, lethal_damage = 0, token_off_battlefield = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t t = (toughness[i] == INT32_MIN ? 0 : toughness[i]) + plus[i] - minus[i];
        int creature = (zone[i] == BATTLEFIELD) & !(flags[i] & PHASED_OUT) & ((types[i] & CREATURE) != 0);
        toughness_zero += creature & (t <= 0);
        lethal_damage += creature & (t > 0) & (damage[i] >= t) & !(keywords[i] & INDESTRUCTIBLE);
        token_off_battlefield += (kind[i] == TOKEN) & (zone[i] != BATTLEFIELD) & (zone[i] != NOWHERE);
    }
    found[0] += toughness_zero;
    found[1] += lethal_damage;
    found[2] += token_off_battlefield;
}

void judge_players(int64_t n, const uint8_t *flags, const int32_t *life, const int32_t *poison, int64_t *found)
{
    int64_t life_zero = 0, poisoned = 0;
    for (int64_t i = 0; i < n; i++) {
        int playing = flags[i] & IN_GAME;
        life_zero += playing & (life[i] <= 0);
        poisoned += playing & (poison[i] >= 10);
    }
    found[3] += life_zero;
    found[4] += poisoned;
}
