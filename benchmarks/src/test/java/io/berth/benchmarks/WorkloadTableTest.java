package io.berth.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.benchmarks.workload.Measurement;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTableTest {
  private static final LocalDate DAY = LocalDate.of(2026, 11, 30);

  @Test
  void replacesTheTableAndNothingElse() {
    String page =
        """
        Before.

        <!-- make bench writes this table. -->
        an older table
        <!-- The end of the table of make bench. -->

        After.
        """;

    String replaced =
        WorkloadTable.replacedIn(
            page,
            List.of(
                new Measurement("Basic", 150_000, 6.04, 20, 120.4, 1_234, 2.5, 64L << 20),
                new Measurement("Basic-50000", 120_000, 8, 21, 150, 1_300, 3, 200L << 20),
                new Measurement("Basic-Policy", 90_000, 8, 21, 150, 1_300, 3, 200L << 20)),
            DAY);

    assertThat(replaced)
        .isEqualTo(
            """
            Before.

            <!-- make bench writes this table. -->

            Measured on 2026-11-30, in one run of `make bench`:

            | Workload | pods/s | share | p50 µs | p99 µs | p99.9 µs | garbage/pod, bytes | steps/pod | heap, MiB |
            | --- | --- | --- | --- | --- | --- | --- | --- | --- |
            | Basic | 150,000 | | 6.0 | 20.0 | 120 | 1,234 | 2.5 | 64.0 |
            | Basic-50000 | 120,000 | 80 % | 8.0 | 21.0 | 150 | 1,300 | 3.0 | 200 |
            | Basic-Policy | 90,000 | | 8.0 | 21.0 | 150 | 1,300 | 3.0 | 200 |

            <!-- The end of the table of make bench. -->

            After.
            """);
    assertThat(WorkloadTable.replacedIn(replaced, List.of(), DAY)).doesNotContain("Basic");
  }

  @Test
  void refusesAPageWithoutAPlaceForTheTable() {
    assertThatThrownBy(() -> WorkloadTable.replacedIn("# A page", List.of(), DAY))
        .hasMessageContaining("no place for the table");
  }
}
