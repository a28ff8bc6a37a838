package io.berth.demo.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The mixes of the tenants' steps. */
class StretchTest {
  private static final StepKind.Action NOTHING = (number, stretch, random) -> {};

  private final StepKind apps = StepKind.always(100, NOTHING);
  private final StepKind floods = StepKind.sometimes(100, NOTHING);
  private final StepKind groups = StepKind.sometimes(101, NOTHING);
  private final StepKind crashes = StepKind.faultOfAll(15, NOTHING);
  private final StepKind stalls = StepKind.faultOfAll(16, NOTHING);
  private final List<StepKind> kinds = List.of(apps, floods, groups, crashes, stalls);

  private List<StepKind> steps(int number) {
    Stretch stretch = Stretch.of(7, number, kinds);
    return IntStream.range(0, 1_000)
        .mapToObj(step -> stretch.kind(Stretch.randomOf(7, step)))
        .toList();
  }

  private List<Set<StepKind>> mixes() {
    List<Set<StepKind>> mixes = new ArrayList<>();
    for (int number = 0; number < 50; number++) {
      mixes.add(new HashSet<>(steps(number)));
    }
    return mixes;
  }

  @Test
  void stretch_isTheSameForTheSameSeed() {
    assertThat(steps(3)).isEqualTo(steps(3));
    assertThat(steps(3)).isNotEqualTo(steps(4));
  }

  @Test
  void kindsThatAreNecessary_arePartOfEveryMix_andOthersOfSome() {
    assertThat(mixes()).allMatch(mix -> mix.contains(apps));
    assertThat(mixes().stream().filter(mix -> mix.contains(floods)).count()).isBetween(20L, 45L);
    assertThat(mixes())
        .anyMatch(mix -> mix.contains(floods) && !mix.contains(groups))
        .anyMatch(mix -> !mix.contains(floods) && mix.contains(groups))
        .anyMatch(mix -> mix.equals(Set.copyOf(kinds)));
  }

  @Test
  void faultsOfTheWholeServer_arePartOfAMixTogether_orNotAtAll() {
    assertThat(mixes()).allMatch(mix -> mix.contains(crashes) == mix.contains(stalls));
    assertThat(mixes().stream().filter(mix -> mix.contains(crashes)).count()).isBetween(15L, 35L);
  }

  @Test
  void someStretches_haveABusyNamespace_andOthersHaveNone() {
    int busy = 0;
    for (int number = 0; number < 50; number++) {
      Stretch stretch = Stretch.of(7, number, kinds);
      long most =
          Tenants.NAMESPACES.stream()
              .mapToLong(
                  namespace ->
                      IntStream.range(0, 1_000)
                          .filter(
                              step ->
                                  stretch.namespace(Stretch.randomOf(7, step)).equals(namespace))
                          .count())
              .max()
              .orElseThrow();
      busy += most > 600 ? 1 : 0;
    }

    assertThat(busy).isBetween(15, 35);
  }

  @Test
  void someStretches_repeatOneStateOfTheWebhooks() {
    int narrow = 0;
    for (int number = 0; number < 50; number++) {
      Stretch stretch = Stretch.of(7, number, kinds);
      Map<Disturbances.Webhook, Integer> drawn = new EnumMap<>(Disturbances.Webhook.class);
      for (int step = 0; step < 1_000; step++) {
        drawn.merge(stretch.webhook(Stretch.randomOf(7, step)), 1, Integer::sum);
      }
      narrow += drawn.size() <= 2 ? 1 : 0;
    }

    assertThat(narrow).isBetween(15, 35);
  }
}
