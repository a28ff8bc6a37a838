package io.berth.engine.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DomainCountsTest {

  private final DomainCounts counts = new DomainCounts();

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1_024, 1_025, 5_000, 50_000})
  void numbers_areThoseOfAnArray(int domains) {
    Random random = new Random(domains);
    for (int round = 0; round < 3; round++) {
      counts.reset(domains);
      int[] expected = new int[domains];
      int used = 1 + random.nextInt(domains);
      for (int step = 0; step < 2 * domains; step++) {
        int domain = random.nextInt(used);
        int delta = expected[domain] == 0 ? 1 + random.nextInt(200) : -expected[domain];
        assertThat(counts.add(domain, delta)).isEqualTo(expected[domain]);
        expected[domain] += delta;
      }
      assertEqual(expected);
    }
  }

  private void assertEqual(int[] expected) {
    Set<Integer> visited = new HashSet<>();
    counts.forEach(domain -> assertThat(visited.add(domain)).isTrue());
    for (int domain = 0; domain < expected.length; domain++) {
      assertThat(counts.get(domain)).isEqualTo(expected[domain]);
      assertThat(visited.contains(domain)).isEqualTo(expected[domain] != 0);
    }
  }

  @Test
  void fewOfManyDomains_takeLittleMemory_andManyNoMoreThanAColumn() {
    counts.reset(50_000);
    for (int domain = 0; domain < 100; domain++) {
      counts.add(domain * 499, 1);
    }
    assertThat(counts.bytes()).isLessThan(5_000);

    for (int domain = 0; domain < 50_000; domain++) {
      counts.add(domain, 1);
    }
    assertThat(counts.bytes()).isBetween(50_000L, 60_000L);
  }

  @Test
  void numbersThatAre0Again_takeNoMemory() {
    counts.reset(50_000);
    for (int domain = 0; domain < 50_000; domain++) {
      counts.add(domain, 1);
      counts.add(domain, -1);
    }
    assertThat(counts.bytes()).isLessThan(1_000);
  }
}
