package io.berth.operator.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.ResourceAmounts;
import io.berth.operator.load.UsageCheck.Fault;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plausible and implausible measurements of usage. */
class UsageCheckTest {
  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Duration MAX_AGE = Duration.ofMinutes(3);
  private static final Duration WINDOW = Duration.ofSeconds(20);

  private final UsageCheck check =
      new UsageCheck(name -> name.equals("n") ? Optional.of(node()) : Optional.empty());

  private static Node node() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n")
        .endMetadata()
        .withNewStatus()
        .addToCapacity(Map.of("cpu", new Quantity("4"), "memory", new Quantity("16Gi")))
        .endStatus()
        .build();
  }

  private UsageCheck.Result check(Measurement... measurements) {
    return check.check(List.of(measurements), Set.of("n"), MAX_AGE, NOW);
  }

  private static Measurement measured(Instant at, double cores) {
    return new Measurement("n", at, WINDOW, Map.of("cpu", cores));
  }

  @Test
  void aPossibleReport_isPassedOnInTheEnginesUnits() {
    UsageCheck.Result result =
        check(new Measurement("n", NOW, WINDOW, Map.of("cpu", 1.5, "memory", 1024.4)));

    assertThat(result.faults()).isEmpty();
    assertThat(result.usable())
        .containsExactly(
            new NodeUsage(
                "n", NOW, WINDOW, ResourceAmounts.of(Map.of("cpu", 1500L, "memory", 1024L))));
  }

  @ParameterizedTest
  @CsvSource({
    "-0.1, NEGATIVE",
    "NaN, NOT_A_NUMBER",
    "Infinity, NOT_A_NUMBER",
    "4.5, LARGER_THAN_NODE",
    "1000000, LARGER_THAN_NODE"
  })
  void anImpossibleReport_isIgnored(double cores, Fault fault) {
    UsageCheck.Result result = check(measured(NOW, cores));

    assertThat(result.usable()).isEmpty();
    assertThat(result.faults()).isEqualTo(Map.of(fault, Set.of("n")));
  }

  @Test
  void aBusyNode_mayExceedItsCapacityALittle() {
    assertThat(check(measured(NOW, 4.2)).usable()).hasSize(1);
  }

  @Test
  void aReportThatIsTooOld_orMissing_orOfNoNode_isIgnored() {
    assertThat(check(measured(NOW.minus(MAX_AGE), 1)).faults())
        .isEqualTo(Map.of(Fault.STALE, Set.of("n")));
    assertThat(check().faults()).isEqualTo(Map.of(Fault.MISSING, Set.of("n")));
    assertThat(check(new Measurement("n", NOW, WINDOW, Map.of())).faults())
        .isEqualTo(Map.of(Fault.MISSING, Set.of("n")));
    assertThat(
            check(measured(NOW, 1), new Measurement("gone", NOW, WINDOW, Map.of("cpu", 1.0)))
                .faults())
        .isEqualTo(Map.of(Fault.UNKNOWN_NODE, Set.of("gone")));
  }

  @Test
  void aClockThatIsAhead_makesNoReportYounger() {
    assertThat(check(measured(NOW.plusSeconds(3600), 1)).usable().getFirst().at()).isEqualTo(NOW);
  }

  @Test
  void metricsApi_isReadWithQuantities_andWhatIsNoQuantityIsNoNumber()
      throws JsonProcessingException {
    List<Measurement> measurements =
        MetricsApi.measurements(
            new ObjectMapper()
                .readTree(
                    """
                    {"items": [
                      {"metadata": {"name": "a"}, "timestamp": "2026-01-01T12:00:00Z", "window": "20s",
                       "usage": {"cpu": "1500000000n", "memory": "2Ki"}},
                      {"metadata": {"name": "b"}, "timestamp": "soon", "window": "x",
                       "usage": {"cpu": "much"}}]}
                    """));

    assertThat(measurements)
        .containsExactly(
            new Measurement("a", NOW, WINDOW, Map.of("cpu", 1.5, "memory", 2048.0)),
            new Measurement("b", Instant.EPOCH, Duration.ZERO, Map.of("cpu", Double.NaN)));
  }
}
