package io.berth.engine.whatif;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.decision.NodeJudgement.FilterVerdict;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.Card;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodDevices;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.volume.CsiNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The figures behind the verdicts of filters on node n1 of zone a; n2 is in zone b. */
class VerdictFiguresTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final LabelSelector WEB = LabelSelector.ofPairs(Map.of("app", "web"));
  private static final AffinityTerm NEAR_WEB =
      new AffinityTerm(Set.of("default"), LabelSelector.nothing(), WEB, ZONE);

  private final Mirror mirror = new Mirror(EngineOptions.defaults());

  @BeforeEach
  void fill() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("test", "1", SchedulingPolicySpec.defaults());
    apply(new ClusterEvent.PolicyServed(((PolicyCompilation.Compiled) compiled).policy()));
    apply(new ClusterEvent.DefaultPolicyChanged("test"));
    put(node("n1").label(ZONE, "a"));
    put(node("n2").label(ZONE, "b"));
  }

  private void apply(ClusterEvent event) {
    mirror.apply(event, NOW);
  }

  private void put(Nodes node) {
    apply(new ClusterEvent.NodeUpserted(node.milliCpu(64_000).memoryBytes(64L << 30).build()));
  }

  private void put(Pods pod) {
    apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private <T extends HasMetadata> void put(Class<T> type, String json)
      throws JsonProcessingException {
    apply(new KubeEvents().upserted(JSON.readValue(json.replace('\'', '"'), type)));
  }

  private FilterVerdict verdict(Pods asked, String plugin) {
    put(asked);
    return NodeVerdict.of(
            mirror,
            mirror.pod("default", "asked").orElseThrow(),
            mirror.node("n1").orElseThrow(),
            NOW)
        .orElseThrow()
        .judgement()
        .filters()
        .stream()
        .filter(filter -> filter.plugin().equals(plugin))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void spreadConstraint_hasTheSkewOfTheDomain() {
    for (int i = 0; i < 3; i++) {
      put(pod("web-" + i).label("app", "web").on(i == 0 ? "n2" : "n1"));
    }
    Pods asked = pod("asked").label("app", "web");

    FilterVerdict verdict =
        verdict(
            asked.spread(new SpreadConstraint(1, ZONE, true, WEB, 1, true, false)),
            "PodTopologySpread");

    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.figures())
        .isEqualTo(
            ZONE
                + "=a has 2 of the selected pods, the fewest in a domain are 1; with this pod, the"
                + " skew would be 2 of at most 1");
  }

  @Test
  void nodeOutsideAllDomains_hasNoLabel() {
    FilterVerdict verdict =
        verdict(
            pod("asked").spread(new SpreadConstraint(1, "rack", true, WEB, 1, true, false)),
            "PodTopologySpread");

    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.figures()).isEqualTo("the node has no label rack");
  }

  @Test
  void affinityBetweenPods_hasTheNumberOfPodsInTheDomain() {
    put(pod("web").label("app", "web").on("n2"));
    put(
        pod("loner")
            .affinity(
                new PodAffinity(
                    List.of(),
                    List.of(
                        new AffinityTerm(
                            Set.of("default"),
                            LabelSelector.nothing(),
                            LabelSelector.ofPairs(Map.of("app", "asked")),
                            ZONE)),
                    List.of(),
                    List.of()))
            .on("n1"));

    FilterVerdict near =
        verdict(
            pod("asked")
                .label("app", "asked")
                .affinity(new PodAffinity(List.of(NEAR_WEB), List.of(), List.of(), List.of())),
            "InterPodAffinity");
    FilterVerdict far =
        verdict(
            pod("asked")
                .affinity(new PodAffinity(List.of(), List.of(NEAR_WEB), List.of(), List.of())),
            "InterPodAffinity");

    assertThat(near.rejection()).isPresent();
    assertThat(near.figures())
        .isEqualTo(
            ZONE
                + "=a has 0 pods to be near to; "
                + ZONE
                + "=a has 1 pods that must stay away from this one");
    assertThat(far.rejection()).isEmpty();
    assertThat(far.figures()).isEqualTo(ZONE + "=a has 0 pods to stay away from");
  }

  @Test
  void hostPort_isNamed() {
    put(pod("web").port(new HostPort(HostPort.ANY_IP, "TCP", 80)).on("n1"));

    FilterVerdict verdict =
        verdict(
            pod("asked")
                .port(new HostPort(HostPort.ANY_IP, "TCP", 80))
                .port(new HostPort(HostPort.ANY_IP, "UDP", 80)),
            "NodePorts");

    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.figures()).isEqualTo("port 80/TCP is in use");
  }

  /** Adds a volume of a CSI driver with the claim that it is bound to. */
  private void putVolume(String name) throws JsonProcessingException {
    put(
        PersistentVolume.class,
        ("{'metadata':{'name':'%s'},'spec':{'csi':{'driver':'ebs.csi.aws.com',"
                + "'volumeHandle':'%s'},'capacity':{'storage':'1Gi'}}}")
            .formatted(name, name));
    put(
        PersistentVolumeClaim.class,
        ("{'metadata':{'name':'%s','namespace':'default','uid':'uid-%s','annotations':"
                + "{'pv.kubernetes.io/bind-completed':'yes'}},'spec':{'volumeName':'%s'}}")
            .formatted(name, name, name));
  }

  private static Pods withVolume(Pods pod, String claim) {
    return pod.volume(new PodVolume.Claim(claim, Optional.empty()));
  }

  @Test
  void limitOfVolumes_hasThoseThatAreAttached() throws JsonProcessingException {
    apply(
        new ClusterEvent.StorageUpserted(
            new CsiNode("n1", Map.of("ebs.csi.aws.com", 1), Set.of()), "1"));
    putVolume("one");
    putVolume("two");
    put(withVolume(pod("web"), "one").on("n1"));

    FilterVerdict verdict = verdict(withVolume(pod("asked"), "two"), "NodeVolumeLimits");

    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.figures())
        .isEqualTo("attaches 1 more volumes of ebs.csi.aws.com, 1 of at most 1 are attached");
  }

  @Test
  void cards_areThoseThatAreFree() {
    put(node("n1").label(ZONE, "a").cards(List.of(Card.of("T4"), Card.of("T4"), Card.of("T4"))));
    put(
        pod("web")
            .cards(PodCards.of(CardRequest.share("main", 300, 0)))
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of("0")))))
            .on("n1"));

    FilterVerdict verdict =
        verdict(pod("asked").cards(PodCards.of(CardRequest.whole("main", 3))), "GpuCards");

    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.figures())
        .isEqualTo(
            "asks for 3 whole cards; of 3 cards, 2 are unused, and 2700 thousandths of a card are"
                + " free on all");
  }

  @Test
  void devices_areThoseThatClaimsHave() throws JsonProcessingException {
    put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    put(
        ResourceSlice.class,
        "{'metadata':{'name':'s'},'spec':{'driver':'gpu.example.com','nodeName':'n1','pool':"
            + "{'name':'n1','generation':1,'resourceSliceCount':1},'devices':[{'name':'gpu-0'},"
            + "{'name':'gpu-1'}]}}");
    put(
        ResourceClaim.class,
        "{'metadata':{'name':'taken','namespace':'team','uid':'uid-taken'},'spec':{'devices':{}},"
            + "'status':{'allocation':{'devices':{'results':[{'request':'g','driver':"
            + "'gpu.example.com','pool':'n1','device':'gpu-0'}]}}}}");
    put(
        ResourceClaim.class,
        "{'metadata':{'name':'two','namespace':'default','uid':'uid-two'},'spec':{'devices':"
            + "{'requests':[{'name':'g','exactly':{'deviceClassName':'gpu','count':2}}]}}}");
    apply(new ClusterEvent.DevicesServed());

    FilterVerdict verdict =
        verdict(
            pod("asked").devices(new PodDevices(List.of(new PodClaim.Named("two")), List.of())),
            "DynamicResources");

    assertThat(verdict.rejection()).isPresent();
    assertThat(verdict.figures()).isEqualTo("the node reaches 2 devices, of which claims have 1");
  }
}
