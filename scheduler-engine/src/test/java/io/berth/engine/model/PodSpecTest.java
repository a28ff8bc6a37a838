package io.berth.engine.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Pods;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PodSpecTest {
  private static final PodSpec SPEC = Pods.pod("pod").build().spec();

  static Stream<String> parts() {
    return Arrays.stream(PodSpec.class.getRecordComponents()).map(RecordComponent::getName);
  }

  @ParameterizedTest
  @MethodSource("parts")
  void specsThatDifferInOnePartAreNotEqual(String part) throws ReflectiveOperationException {
    PodSpec other = copy(part);

    assertThat(other).isNotEqualTo(SPEC);
    assertThat(SPEC).isNotEqualTo(other);
    assertThat(other.hashCode()).isNotEqualTo(SPEC.hashCode());
  }

  @ParameterizedTest
  @MethodSource("parts")
  void specsWithEqualPartsAreEqual(String part) throws ReflectiveOperationException {
    assertThat(copy(part)).isEqualTo(copy(part)).hasSameHashCodeAs(copy(part));
  }

  /** Returns the spec with another value for one part. */
  private static PodSpec copy(String part) throws ReflectiveOperationException {
    RecordComponent[] components = PodSpec.class.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class[]::new);
    Object[] values = new Object[components.length];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          components[i].getName().equals(part)
              ? otherValue(types[i])
              : components[i].getAccessor().invoke(SPEC);
    }
    return PodSpec.class.getDeclaredConstructor(types).newInstance(values);
  }

  private static Object otherValue(Class<?> type) {
    ResourceAmounts amounts = ResourceAmounts.of(Map.of("cpu", 7_777L));
    Map<Class<?>, Object> values =
        Map.of(
            int.class,
            77,
            boolean.class,
            true,
            String.class,
            "other",
            List.class,
            List.of("other"),
            Set.class,
            Set.of("other"),
            PodRequests.class,
            PodRequests.of(amounts, 7_777, 7_777),
            NodeSelection.class,
            new NodeSelection(Map.of("key", "other"), Optional.empty(), List.of()),
            PodImages.class,
            new PodImages(List.of("other"), 1),
            ResourceAmounts.class,
            amounts,
            PodCards.class,
            PodCards.impossible("other"));
    if (type == PodAffinity.class) {
      AffinityTerm term =
          new AffinityTerm(
              Set.of("other"), LabelSelector.nothing(), LabelSelector.everything(), "other");
      return new PodAffinity(List.of(term), List.of(), List.of(), List.of());
    }
    return type == PodDevices.class
        ? new PodDevices(List.of(new PodClaim.Named("other")), List.of())
        : values.get(type);
  }
}
