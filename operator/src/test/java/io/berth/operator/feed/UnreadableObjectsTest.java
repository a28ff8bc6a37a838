package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Objects of which only the metadata can be parsed; engines get their names and the reason. */
class UnreadableObjectsTest {
  private final KubeEvents events = new KubeEvents();
  private final KindCache<Node, Node> nodes =
      KindCache.ofObjects(events::upserted, events::removed);
  private final List<ClusterEvent> received = new ArrayList<>();

  @BeforeEach
  void subscribe() {
    var _ = nodes.subscribe(received::add);
  }

  private static Node stub(String version) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n1")
        .withUid("u")
        .withResourceVersion(version)
        .endMetadata()
        .build();
  }

  private static Node readable(String version) {
    return new NodeBuilder(stub(version)).withNewStatus().endStatus().build();
  }

  private static String reason(ClusterEvent event) {
    return ((ClusterEvent.Malformed) event).refusal().reason();
  }

  @Test
  void anObjectThatWasNeverRead_isReported_alsoToLaterEngines_untilItCanBeReadOrGoes() {
    nodes.putUnreadable(stub("1"), "images is a number");

    assertThat(reason(received.getLast())).isEqualTo("it cannot be parsed (images is a number)");
    List<ClusterEvent> later = new ArrayList<>();
    nodes.replay(later::add);
    assertThat(reason(later.getFirst())).contains("images is a number");

    nodes.put(readable("2"));
    assertThat(received.getLast()).isInstanceOf(ClusterEvent.NodeUpserted.class);

    nodes.retain(Set.of());
    assertThat(received.getLast()).isEqualTo(new ClusterEvent.NodeRemoved("n1"));
  }

  @Test
  void anObjectThatWasRead_keepsItsState() {
    nodes.put(readable("1"));

    String key = nodes.putUnreadable(stub("2"), "images is a number");

    nodes.retain(Set.of(key));
    assertThat(received).singleElement().isInstanceOf(ClusterEvent.NodeUpserted.class);
  }
}
