package io.berth.operator.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.berth.operator.Berth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The list of metrics matches the metrics that Berth registers, and the documentation. */
class MetricTest {

  @Test
  void page_isWhatTheListSays() throws IOException {
    assertThat(Files.readString(Path.of("..", "docs", "metrics.md")))
        .as("run `make docs` and check docs/metrics.md in")
        .isEqualTo(MetricsPage.text());
  }

  @Test
  void everyMetric_isRegisteredSomewhere() {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(Berth.class.getPackageName());
    JavaClass metrics = classes.get(Metric.class);

    for (Metric metric : Metric.values()) {
      assertThat(metrics.getField(metric.name()).getAccessesToSelf())
          .as(metric + " is listed and never registered")
          .anyMatch(access -> !access.getOriginOwner().equals(metrics));
    }
    for (JavaClass type : classes) {
      if (!type.getName().startsWith(BerthMetrics.class.getName())) {
        assertThat(type.getDirectDependenciesFromSelf())
            .as(type.getName() + " registers metrics past the list")
            .noneMatch(
                use -> use.getTargetClass().getPackageName().startsWith("io.micrometer.core"));
      }
    }
  }

  @Test
  void everySeries_isOfAListedMetric_orOfTheJvm() {
    Set<String> listed =
        Arrays.stream(Metric.values())
            .flatMap(metric -> metric.series().stream())
            .collect(Collectors.toSet());
    try (BerthMetrics metrics = new BerthMetrics(List.of("berth"))) {
      for (Metric metric : Metric.values()) {
        String[] labels = metric.labels().toArray(String[]::new);
        switch (metric.type()) {
          case COUNTER -> metrics.count(metric, labels);
          case GAUGE -> metrics.gauge(metric, () -> 1, labels);
          case TIMER, SUMMARY -> {}
        }
      }
      metrics.attempted("berth", BerthMetrics.Result.SCHEDULED, Duration.ofMillis(3));
      metrics.scheduled(Duration.ofMillis(3), 1);
      metrics.webhook("/mutate/pods", 200, Duration.ofMillis(3));
      metrics.extender("http://gpu", "filter", Optional.empty(), Duration.ofMillis(3));

      List<String> series =
          metrics
              .page()
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.split("[{ ]", 2)[0])
              .filter(name -> !name.matches("(jvm|process|system)_.*"))
              .distinct()
              .toList();

      assertThat(series).containsExactlyInAnyOrderElementsOf(listed);
    }
  }

  @Test
  void labels_areGivenForEachName() {
    try (BerthMetrics metrics = new BerthMetrics(List.of("berth"))) {
      assertThatThrownBy(() -> metrics.count(Metric.KUBELET_REFUSALS))
          .hasMessageContaining("[reason]");
      assertThatThrownBy(() -> metrics.count(Metric.LEADING)).hasMessageContaining("GAUGE");
    }
  }
}
