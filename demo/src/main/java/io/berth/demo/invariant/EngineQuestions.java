package io.berth.demo.invariant;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.Annotations;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.Tenants;
import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.Outcome;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.model.PodModel;
import io.berth.operator.feed.ClusterFeed;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Questions to engines that must have the same answers if both know the same cluster: where pods of
 * several kinds would be placed, and why not.
 */
public final class EngineQuestions {
  private static final String NAMESPACE = "team-a";
  private static final int MOST_DECISIONS = 100_000;

  private final KubernetesClient client;
  private final String scheduler;
  private final Instant now;
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  /**
   * @param client used to build a feed; no requests are sent
   */
  public EngineQuestions(KubernetesClient client, String scheduler, Instant now) {
    this.client = client;
    this.scheduler = scheduler;
    this.now = now;
  }

  /**
   * Returns the questions that two engines answer differently. Both are of no use afterwards,
   * because other pods may have had their turn meanwhile.
   */
  public List<String> differences(Engine living, FreshEngine rebuilt) {
    List<String> differences = new ArrayList<>();
    if (!FreshEngine.agreeOnNominations(living, rebuilt.engine())) {
      // Only the living engine knows which evictions were rejected, and selects other victims.
      return differences;
    }
    for (ObjectNode question : questions()) {
      PodModel pod = model(question);
      String answer = answer(living, pod);
      String expected = answer(rebuilt.engine(), pod);
      if (!answer.equals(expected)) {
        differences.add(
            "about pod %s, the engine says: %s; a rebuilt one: %s"
                .formatted(pod.ref().name(), answer, expected));
      }
    }
    return differences;
  }

  private List<ObjectNode> questions() {
    List<ObjectNode> questions = new ArrayList<>();
    questions.add(question("plain", "0"));
    questions.add(question("small", "300m"));
    questions.add(question("large", "20"));
    for (String app : List.of("app-1", "app-7")) {
      ObjectNode apart = question("apart-from-" + app, "100m");
      ObjectNode terms = apart.withObject("/spec/affinity/podAntiAffinity");
      ObjectNode term =
          terms.putArray("requiredDuringSchedulingIgnoredDuringExecution").addObject();
      term.withObject("/labelSelector/matchLabels").put("app", app);
      term.put("topologyKey", "kubernetes.io/hostname");
      questions.add(apart);
      ObjectNode spread = question("spread-over-" + app, "100m");
      ObjectNode constraint =
          spread.withObject("/spec").putArray("topologySpreadConstraints").addObject();
      constraint.put("maxSkew", 1).put("topologyKey", "topology.kubernetes.io/zone");
      constraint.put("whenUnsatisfiable", "DoNotSchedule");
      constraint.withObject("/labelSelector/matchLabels").put("app", app);
      questions.add(spread);
    }
    for (String policy : List.of("spread", "pack", "gentle")) {
      ObjectNode bound = question("by-policy-" + policy, "200m");
      bound.withObject("/metadata/annotations").put(Annotations.POLICY, policy);
      questions.add(bound);
    }
    for (int milli : List.of(400, 2_000)) {
      ObjectNode cards = question("gpu-" + milli, "200m");
      ObjectNode limits = cards.withObject("/spec");
      ((ObjectNode) limits.at("/containers/0/resources"))
          .putObject("limits")
          .put("gpu.sched.cloud.ctrip.com/milli-gpu", String.valueOf(milli));
      cards.withObject("/metadata/annotations").put(Annotations.POLICY, "gpu");
      questions.add(cards);
    }
    for (int devices : List.of(1, 2, 4)) {
      ObjectNode extended = question("devices-" + devices, "200m");
      ObjectNode resources = (ObjectNode) extended.at("/spec/containers/0/resources");
      for (String list : List.of("/requests", "/limits")) {
        resources.withObject(list).put(Tenants.EXTENDED_RESOURCE, String.valueOf(devices));
      }
      questions.add(extended);
    }
    return questions;
  }

  private ObjectNode question(String name, String cpu) {
    ObjectNode pod = KubeObjects.create("Pod", NAMESPACE, name);
    pod.withObject("/metadata").put("uid", "question-" + name);
    pod.withObject("/metadata").put("creationTimestamp", now.toString());
    ObjectNode spec = pod.withObject("/spec").put("schedulerName", scheduler);
    spec.put("preemptionPolicy", "Never");
    ObjectNode container = spec.putArray("containers").addObject().put("name", "main");
    container.withObject("/resources/requests").put("cpu", cpu);
    pod.withObject("/status").put("phase", "Pending");
    return pod;
  }

  private PodModel model(ObjectNode pod) {
    ClusterFeed feed = EngineSources.feed(client);
    feed.put(serialization.convertValue(pod, Pod.class));
    List<PodModel> models = new ArrayList<>();
    feed.replay(
        event -> {
          if (event instanceof ClusterEvent.PodUpserted upserted) {
            models.add(upserted.pod());
          }
        });
    return models.getFirst();
  }

  private String answer(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    String answer = "nothing";
    for (int i = 0; i < MOST_DECISIONS; i++) {
      Outcome outcome = engine.next(now);
      if (outcome instanceof Decision decision && decision.pod().equals(pod.ref())) {
        answer = describe(decision.record());
        if (decision instanceof Decision.Placed) {
          engine.apply(new ClusterEvent.BindingFailed(pod.ref(), "it was a question", false), now);
        }
        break;
      }
      if (FreshEngine.isAtRest(outcome)) {
        break;
      }
    }
    engine.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
    return answer;
  }

  /** Returns what is equal for equal clusters; of nodes with equal scores, the names may differ. */
  private static String describe(DecisionRecord record) {
    List<Long> totals = record.bestNodes().stream().map(NodeScore::total).toList();
    return "%d feasible nodes; %s; best scores %s"
        .formatted(record.feasibleNodes(), record.message(), totals);
  }
}
