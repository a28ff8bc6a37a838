package io.berth.rules.label;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NamespaceAccessTest {

  private final NamespaceAccess named = NamespaceAccess.of(List.of("a"), Optional.empty());
  private final NamespaceAccess labelled =
      NamespaceAccess.of(List.of(), Optional.of(labels -> labels.containsKey("team")));

  @Test
  void access_isByNameOrByLabel() {
    assertThat(named.allows("a", Map.of())).isTrue();
    assertThat(named.allows("b", Map.of("team", "x"))).isFalse();
    assertThat(labelled.allows("b", Map.of("team", "x"))).isTrue();
    assertThat(labelled.allows("b", Map.of())).isFalse();
    assertThat(NamespaceAccess.everywhere().allows("b", Map.of())).isTrue();
    assertThat(NamespaceAccess.nowhere().allows("b", Map.of())).isFalse();
  }

  @Test
  void union_allowsWhatOneOfBothAllows() {
    NamespaceAccess either = named.or(labelled);

    assertThat(either.allows("a", Map.of())).isTrue();
    assertThat(either.allows("b", Map.of("team", "x"))).isTrue();
    assertThat(either.allows("b", Map.of())).isFalse();
    assertThat(named.or(NamespaceAccess.everywhere()).allows("b", Map.of())).isTrue();
  }

  @Test
  void labels_areReadForASelectorOnly() {
    assertThat(named.readsLabels()).isFalse();
    assertThat(NamespaceAccess.everywhere().readsLabels()).isFalse();
    assertThat(named.or(labelled).readsLabels()).isTrue();
  }
}
