package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodClaim;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PodVolume;
import io.berth.engine.model.Requirement;
import io.berth.engine.model.SpreadConstraint;
import io.berth.rules.label.LabelOperator;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeEventsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final KubeEvents events = new KubeEvents();

  private static <T extends HasMetadata> T read(Class<T> type, String json) {
    try {
      return JSON.readValue(json.replace('\'', '"'), type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** A pod with these further fields of its spec. */
  private static Pod pod(String spec) {
    return read(
        Pod.class,
        "{'metadata':{'name':'p','namespace':'team','uid':'u','labels':{'app':'web'}},"
            + "'spec':{'containers':[{'name':'c','image':'img'}]"
            + (spec.isEmpty() ? "" : "," + spec)
            + "},'status':{}}");
  }

  private PodModel compiled(String spec) {
    ClusterEvent event = events.upserted(pod(spec));
    assertThat(event).isInstanceOf(ClusterEvent.PodUpserted.class);
    return ((ClusterEvent.PodUpserted) event).pod();
  }

  private String refusal(HasMetadata object) {
    ClusterEvent event = events.upserted(object);
    assertThat(event).isInstanceOf(ClusterEvent.Malformed.class);
    return ((ClusterEvent.Malformed) event).refusal().reason();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'hostNetwork':true | ",
        "'hostUsers':false | ",
        "'hostNetwork':true,'hostUsers':true | ",
        "'hostNetwork':true,'hostUsers':false | UserNamespacesHostNetworkSupport",
        "'initContainers':[{'name':'i','restartPolicyRules':[{'action':'RestartAllContainers'}]}]"
            + " | RestartAllContainersOnContainerExits",
        "'initContainers':[{'name':'i','restartPolicyRules':[{'action':'Restart'}]}] | ",
      })
  void podSpec_needsFeaturesOfTheKubelet(String spec, @Nullable String feature) {
    assertThat(compiled(spec).spec().requiredFeatures())
        .isEqualTo(feature == null ? Set.of() : Set.of(feature));
  }

  @Test
  void node_declaresFeatures() {
    String node = "{'metadata':{'name':'n'},'status':{'declaredFeatures':%s}}";

    ClusterEvent event = events.upserted(read(Node.class, node.formatted("['A','B']")));

    assertThat(((ClusterEvent.NodeUpserted) event).node().declaredFeatures())
        .containsExactlyInAnyOrder("A", "B");
    assertThat(refusal(read(Node.class, node.formatted("'A'"))))
        .contains("status.declaredFeatures is not a list of different names");
  }

  @Test
  void pod_carriesWhoItIsAndWhatItSays() {
    Pod pod =
        read(
            Pod.class,
            "{'metadata':{'name':'p','namespace':'team','uid':'u','deletionTimestamp':'2026-01-01T00:00:00Z',"
                + "'annotations':{'sched.cloud.ctrip.com/policy':'batch'},'creationTimestamp':'2026-01-01T00:00:00Z',"
                + "'ownerReferences':[{'apiVersion':'v1','kind':'Other','name':'o','uid':'1'},"
                + "{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'rs','uid':'2','controller':true}]},"
                + "'spec':{'nodeName':'n1','schedulerName':'berth','priority':7,'preemptionPolicy':'Never',"
                + "'schedulingGates':[{'name':'g'}],'resourceClaims':[{'name':'gpu'}],"
                + "'containers':[{'name':'c','image':'registry:5000/img'}]},"
                + "'status':{'phase':'Running','startTime':'2026-01-01T00:00:01Z','nominatedNodeName':'n2',"
                + "'conditions':[{'type':'DisruptionTarget','status':'True','reason':'PreemptionByScheduler'}]}}");

    PodModel model = ((ClusterEvent.PodUpserted) events.upserted(pod)).pod();

    assertThat(model.ref()).isEqualTo(new PodRef("team", "p", "u"));
    assertThat(model.policy()).isEqualTo("batch");
    assertThat(model.nodeName()).isEqualTo("n1");
    assertThat(model.nominatedNode()).isEqualTo("n2");
    assertThat(model.terminating()).isTrue();
    assertThat(model.preempted()).isTrue();
    assertThat(model.finished()).isFalse();
    assertThat(model.gates()).containsExactly("g");
    assertThat(model.controller()).map(c -> c.kind() + " " + c.name()).contains("ReplicaSet rs");
    assertThat(model.startedAt()).hasToString("Optional[2026-01-01T00:00:01Z]");
    assertThat(model.spec().priority()).isEqualTo(7);
    assertThat(model.spec().neverPreempts()).isTrue();
    assertThat(model.spec().devices().claims())
        .containsExactly(new PodClaim.Unknown("gpu", model.ref()));
    assertThat(model.spec().images().names()).containsExactly("registry:5000/img:latest");
  }

  @ParameterizedTest
  @CsvSource({"Succeeded,true", "Failed,true", "Running,false", "Pending,false", "Unknown,false"})
  void pod_finished_isSucceededOrFailed(String phase, boolean finished) {
    Pod pod = pod("");
    pod.getStatus().setPhase(phase);

    assertThat(((ClusterEvent.PodUpserted) events.upserted(pod)).pod().finished())
        .isEqualTo(finished);
  }

  @Test
  void hostPorts_areThoseOfContainersAndSidecars() {
    PodModel model =
        compiled(
            "'initContainers':[{'name':'i','ports':[{'containerPort':1,'hostPort':1}]},"
                + "{'name':'s','restartPolicy':'Always','ports':[{'containerPort':2,'hostPort':2,"
                + "'hostIP':'127.0.0.1','protocol':'UDP'},{'containerPort':3}]}]");

    assertThat(model.spec().ports()).containsExactly(new HostPort("127.0.0.1", "UDP", 2));
    assertThat(model.spec().images().containers()).isEqualTo(3);
  }

  @Test
  void spread_mergesThePodsOwnValuesOfMatchLabelKeys() {
    PodModel model =
        compiled(
            "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone',"
                + "'whenUnsatisfiable':'DoNotSchedule','labelSelector':{},"
                + "'matchLabelKeys':['app','absent'],'nodeTaintsPolicy':'Honor'}]");

    assertThat(model.spec().spread())
        .containsExactly(
            new SpreadConstraint(
                1, "zone", true, LabelSelector.ofPairs(Map.of("app", "web")), 1, true, true));
  }

  @Test
  void podAffinity_namespacesDefaultToThePodsOwn() {
    String term =
        "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':["
            + "{'topologyKey':'zone'%s}]}}";

    assertThat(term(term, "").namespaces()).containsExactly("team");
    assertThat(term(term, "").namespaceSelector().matchesNothing()).isTrue();
    assertThat(term(term, "").selector().matchesNothing()).isTrue();
    assertThat(term(term, ",'namespaceSelector':{}").namespaces()).isEmpty();
    assertThat(term(term, ",'namespaceSelector':{}").namespaceSelector().isEverything()).isTrue();
    assertThat(term(term, ",'namespaces':['a'],'labelSelector':{}").namespaces())
        .containsExactly("a");
  }

  private io.berth.engine.model.AffinityTerm term(String template, String fields) {
    return compiled(String.format(template, fields))
        .spec()
        .affinity()
        .requiredAffinity()
        .getFirst();
  }

  @Test
  void volumes_areClaimsDisksAndInlineDrivers() {
    PodModel model =
        compiled(
            "'volumes':[{'name':'a','persistentVolumeClaim':{'claimName':'data'}},"
                + "{'name':'b','ephemeral':{'volumeClaimTemplate':{}}},"
                + "{'name':'c','rbd':{'monitors':['m1','m2'],'pool':'p','image':'i','readOnly':true}},"
                + "{'name':'d','awsElasticBlockStore':{'volumeID':'v','readOnly':true}},"
                + "{'name':'e','csi':{'driver':'d'}},{'name':'f','emptyDir':{}}]");

    assertThat(model.spec().volumes())
        .containsExactly(
            new PodVolume.Claim("data", Optional.empty()),
            new PodVolume.Claim("p-b", Optional.of(new PodRef("team", "p", "u"))),
            new PodVolume.Disk("rbd", "m1/p/i", true),
            new PodVolume.Disk("rbd", "m2/p/i", true),
            new PodVolume.Disk("awsElasticBlockStore", "v", false),
            new PodVolume.Inline("d", "e"));
  }

  @Test
  void nodeAffinity_aBoundThatIsNoInteger_makesTheTermMalformed() {
    PodModel model =
        compiled(
            "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'gen','operator':'Gt','values':['x']}]},"
                + "{'matchFields':[{'key':'metadata.name','operator':'In','values':['n1']}]}]}}}");

    assertThat(model.spec().nodes().required().orElseThrow())
        .extracting(term -> term.malformed())
        .containsExactly(true, false);
    assertThat(model.spec().nodes().required().orElseThrow().get(1).fields())
        .containsExactly(new Requirement("metadata.name", LabelOperator.IN, List.of("n1")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'tolerations':[{'key':'k','operator':'Like'}] | unknown operator 'Like'",
        "'tolerations':[{'key':'k','effect':'Maybe'}] | unknown effect 'Maybe'",
        "'overhead':{'cpu':'-1'} | spec.overhead.cpu",
        "'topologySpreadConstraints':[{'maxSkew':0,'topologyKey':'z','whenUnsatisfiable':'DoNotSchedule'}]"
            + " | maxSkew",
        "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z','whenUnsatisfiable':'Perhaps'}]"
            + " | Perhaps",
        "'topologySpreadConstraints':[{'maxSkew':1,'whenUnsatisfiable':'DoNotSchedule'}] |"
            + " topologyKey",
        "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'k','operator':'Approximately','values':['1']}]}]}}}"
            + " | unknown operator 'Approximately'",
        "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'k','operator':'In'}]}]}}}"
            + " | does not accept 0 values",
        "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.uid','operator':'In','values':['1']}]}]}}}"
            + " | metadata.name",
        "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'z','labelSelector':{'matchExpressions':[{'key':'k','operator':'Gt','values':['1']}]}}]}}"
            + " | unknown operator 'Gt'",
        "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{}]}} |"
            + " topologyKey is missing",
        "'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1}]}}"
            + " | without a term",
        "'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':101,'podAffinityTerm':{'topologyKey':'z'}}]}}"
            + " | weight 101",
        "'containers':[null] | malformed",
        "'containers':[] | no containers",
      })
  void pod_thatNoApiServerWouldSend_isRefusedWithTheReason(String spec, String reason) {
    assertThat(refusal(pod(spec))).contains(reason);
  }

  @Test
  void pod_withoutStatusOrSpecOrUid_isRefused() {
    Pod withoutStatus = pod("");
    withoutStatus.setStatus(null);
    Pod withoutSpec = pod("");
    withoutSpec.setSpec(null);
    Pod withoutUid = pod("");
    withoutUid.getMetadata().setUid(null);
    Pod withoutMetadata = pod("");
    withoutMetadata.setMetadata(null);

    assertThat(refusal(withoutStatus)).contains("no status");
    assertThat(refusal(withoutSpec)).contains("no spec");
    assertThat(refusal(withoutUid)).contains("metadata.uid is missing");
    assertThat(refusal(withoutMetadata)).contains("no metadata");
    assertThat(events.removed(withoutUid)).isInstanceOf(ClusterEvent.Malformed.class);
  }

  @Test
  void refusal_namesTheObject() {
    Pod pod = pod("'overhead':{'cpu':'lots'}");

    assertThat(events.upserted(pod))
        .isInstanceOfSatisfying(
            ClusterEvent.Malformed.class,
            malformed -> {
              assertThat(malformed.refusal().kind()).isEqualTo("Pod");
              assertThat(malformed.refusal().name()).isEqualTo("team/p");
            });
  }

  @Test
  void tenThousandLabels_areRefused() {
    Map<String, String> labels = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      labels.put("label-" + i, "x");
    }
    Pod pod = pod("");
    pod.getMetadata().setLabels(labels);

    assertThat(refusal(pod)).contains("10000 labels");
  }

  @Test
  void aLabelValueThatIsNone_isRefused() {
    Pod pod = pod("");
    pod.getMetadata().setLabels(Map.of("app", "not valid!"));

    assertThat(refusal(pod)).contains("'app'");
  }

  @Test
  void node_isCompiledOrRefused() {
    String node = "{'metadata':{'name':'n','labels':{'zone':'a'}},'spec':{%s},'status':{%s}}";
    Node good =
        read(
            Node.class,
            String.format(
                node,
                "'unschedulable':true,'taints':[{'key':'k','effect':'NoSchedule'}]",
                "'allocatable':{'cpu':'1500m','memory':'1Gi','pods':'110','example.com/gpu':'2','foo':'1'},"
                    + "'images':[{'names':['a','b'],'sizeBytes':5}]"));
    assertThat(events.upserted(good))
        .isInstanceOfSatisfying(
            ClusterEvent.NodeUpserted.class,
            event -> {
              assertThat(event.node().allocatable())
                  .hasToString("{cpu=1500, example.com/gpu=2, memory=1073741824, pods=110}");
              assertThat(event.node().unschedulable()).isTrue();
              assertThat(event.node().taints()).hasSize(1);
              assertThat(event.node().images().getFirst().names()).containsExactly("a", "b");
            });

    assertThat(refusal(read(Node.class, String.format(node, "", "'allocatable':{'cpu':'-4'}"))))
        .contains("status.allocatable.cpu", "negative");
    assertThat(
            refusal(
                read(Node.class, String.format(node, "'taints':[{'key':'k','effect':'x'}]", ""))))
        .contains("unknown effect 'x'");
    good.setStatus(null);
    assertThat(refusal(good)).contains("no status");
  }

  @Test
  void budget_withoutASelector_selectsNothing() {
    PodDisruptionBudget budget =
        read(
            PodDisruptionBudget.class,
            "{'metadata':{'name':'b','namespace':'team'},'spec':{},"
                + "'status':{'disruptionsAllowed':2,'disruptedPods':{'p':'2026-01-01T00:00:00Z'}}}");

    assertThat(events.upserted(budget))
        .isInstanceOfSatisfying(
            ClusterEvent.BudgetUpserted.class,
            event -> {
              assertThat(event.budget().selector().matchesNothing()).isTrue();
              assertThat(event.budget().disruptionsAllowed()).isEqualTo(2);
              assertThat(event.budget().disruptedPods()).isEqualTo(Set.of("p"));
            });
  }

  @Test
  void kindsThatDoNotMatter_areIgnored() {
    ConfigMap configMap = read(ConfigMap.class, "{'metadata':{'name':'c','namespace':'team'}}");

    assertThat(events.upserted(configMap)).isEqualTo(new ClusterEvent.Ignored("ConfigMap"));
    assertThat(events.removed(configMap)).isEqualTo(new ClusterEvent.Ignored("ConfigMap"));
  }
}
