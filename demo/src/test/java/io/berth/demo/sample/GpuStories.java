package io.berth.demo.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.ground.BerthGround;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The stories of the samples about GPU cards. */
final class GpuStories {
  private static final String CARDS = "gpu.sched.cloud.ctrip.com/cards";
  private static final ObjectMapper JSON = new ObjectMapper();

  private GpuStories() {}

  /** Returns the command of a page that sets the GPU inventory of nodes. */
  private static String inventory(String sample) throws IOException {
    return Page.sample(Checkout.find(), sample).commands().getFirst();
  }

  static Story training() throws IOException {
    return new Story.Steps()
        .then(inventory("gpu-training"), g -> {})
        .then(
            "kubectl apply -f samples/gpu-training/policy.yaml",
            g -> g.awaitPolicy("gpu-training", "Serving"))
        .then(
            "kubectl apply -f samples/gpu-training/notebook.yaml",
            g -> assertThat(cards(g, "notebook")).hasSize(1))
        .then("kubectl scale deployment notebook --replicas=2", g -> {})
        .then(
            "kubectl get pods -l app=notebook -o yaml | grep /cards",
            g -> assertThat(groups(g, "notebook")).as("one group for both").hasSize(1))
        .then("kubectl apply -f samples/gpu-training/train.yaml", g -> {})
        .then(
            "kubectl get pods -l app=train -o yaml | grep /cards",
            g -> {
              assertThat(cards(g, "train")).hasSize(4);
              assertThat(groups(g, "train"))
                  .hasSize(1)
                  .doesNotContainAnyElementsOf(groups(g, "notebook"));
            })
        .then("kubectl scale deployment train --replicas=2", g -> {})
        .then(
            "kubectl describe pods -l app=train",
            g ->
                assertThat(waiting(g, "train"))
                    .hasSize(1)
                    .allSatisfy(why -> assertThat(why).contains("1 Insufficient free GPU cards")))
        .answered(
            "curl http://127.0.0.1:PORT/explain/node/node-public-0/gpus",
            (g, page) ->
                assertThat(page.text()).contains("\"pod\":\"notebook-", "\"pod\":\"train-"))
        .of("gpu-training");
  }

  static Story serving() throws IOException {
    return new Story.Steps()
        .then(inventory("gpu-serving"), g -> {})
        .then("kubectl apply -f samples/gpu-serving", g -> g.awaitPolicy("gpu-serving", "Serving"))
        .then(
            "kubectl get pods -l app=serving -o yaml | grep /cards",
            g ->
                assertThat(cards(g, "serving"))
                    .hasSize(4)
                    .containsOnly(cards(g, "serving").getFirst()))
        .then("kubectl scale deployment large --replicas=2", g -> {})
        .then(
            "kubectl get pods -l app=large -o wide",
            g ->
                assertThat(cards(g, "large"))
                    .hasSize(1)
                    .doesNotContainAnyElementsOf(cards(g, "serving")))
        .then(
            "kubectl describe pods -l app=large",
            g ->
                assertThat(waiting(g, "large"))
                    .hasSize(1)
                    .allSatisfy(why -> assertThat(why).contains("1 Insufficient free GPU cards")))
        .answered(
            "curl http://127.0.0.1:PORT/explain/node/node-public-1/gpus",
            (g, page) -> assertThat(page.text()).contains("\"usedMemoryMebibytes\":16384"))
        .of("gpu-serving");
  }

  static Story mixed() throws IOException {
    return new Story.Steps()
        .then(inventory("gpu-mixed"), g -> {})
        .then("kubectl apply -f samples/gpu-mixed", g -> g.awaitPolicy("gpu-pool", "Serving"))
        .then(
            "kubectl get pods -l app=chat -o wide",
            g -> {
              assertThat(cards(g, "chat")).hasSize(3);
              assertThat(new TreeSet<>(cards(g, "chat"))).hasSize(2);
              assertThat(nodes(g, "chat")).hasSize(1);
            })
        .then(
            "kubectl get pods -l app=crawler -o wide",
            g -> assertThat(nodes(g, "crawler")).doesNotContain("node-a-2", "node-b-2"))
        .then("kubectl scale deployment finetune --replicas=1", g -> {})
        .then(
            "kubectl get pods -l app=finetune -o wide",
            g -> {
              assertThat(cards(g, "finetune")).hasSize(4);
              assertThat(nodes(g, "finetune")).isNotEqualTo(nodes(g, "chat"));
            })
        .then("kubectl scale deployment urgent --replicas=1", g -> {})
        .then(
            "kubectl get pods -l app=urgent -o wide",
            g -> {
              assertThat(cards(g, "urgent")).hasSize(3);
              assertThat(nodes(g, "urgent")).isEqualTo(nodes(g, "chat"));
              assertThat(cards(g, "finetune")).hasSize(4);
            })
        .then(
            "kubectl get pods -l app=chat",
            g -> {
              assertThat(cards(g, "chat")).hasSize(2);
              assertThat(new TreeSet<>(cards(g, "chat"))).hasSize(1);
              assertThat(waiting(g, "chat")).hasSize(1);
            })
        .of("gpu-mixed");
  }

  private static Stream<Pod> placed(BerthGround ground, String app) {
    return ground.pods("default", app).stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .filter(pod -> !pod.isMarkedForDeletion());
  }

  private static Set<String> nodes(BerthGround ground, String app) {
    Set<String> nodes = new TreeSet<>();
    placed(ground, app).forEach(pod -> nodes.add(pod.getSpec().getNodeName()));
    return nodes;
  }

  /**
   * Returns the indexes of the cards that are assigned to pods. A shared card is listed once per
   * pod.
   */
  private static List<Integer> cards(BerthGround ground, String app) throws IOException {
    List<Integer> cards = new ArrayList<>();
    for (Pod pod : placed(ground, app).toList()) {
      for (JsonNode card :
          JSON.readTree(pod.getMetadata().getAnnotations().get(CARDS)).path("work")) {
        cards.add(card.intValue());
      }
    }
    return cards;
  }

  /** Returns the groups of four linked cards that contain the cards of these pods. */
  private static Set<Integer> groups(BerthGround ground, String app) throws IOException {
    Set<Integer> groups = new TreeSet<>();
    cards(ground, app).forEach(card -> groups.add(card / 4));
    return groups;
  }

  private static List<String> waiting(BerthGround ground, String app) {
    return ground.pods("default", app).stream()
        .filter(pod -> pod.getSpec().getNodeName() == null)
        .map(BerthGround::waitsBecause)
        .toList();
  }
}
