package io.berth.operator.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import io.berth.operator.bind.OtherBinder;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Requests to extenders, compared with those that kube-scheduler 1.36 sent to the same extenders in
 * the same cluster: their order and their fields. The recording contains every node and pod once;
 * requests refer to them by name.
 */
class RecordedRequestsTest {
  private static final List<String> FILLERS = List.of("filler-1", "filler-2", "filler-3");

  private final ConcurrentLinkedQueue<ObjectNode> requests = new ConcurrentLinkedQueue<>();
  private JsonNode recording;
  private List<JsonNode> expected = List.of();
  private AdvisedEngine engine;
  private ScriptedServer extenders;

  @BeforeEach
  void startWithTheRecordedCluster() throws IOException {
    try (InputStream in = getClass().getResourceAsStream("kube-scheduler-1.36-requests.json")) {
      recording = AdvisedEngine.JSON.readTree(in);
    }
    engine = new AdvisedEngine("default-scheduler");
    extenders = new ScriptedServer(this::answer);
    engine.serve(
        recording.get("extenders").toString().replace("http://127.0.0.1:23790", extenders.url()));
    for (JsonNode node : recording.get("nodes")) {
      if (!node.path("metadata").path("name").asText().equals("node-4")) {
        engine.node(node);
      }
    }
  }

  @AfterEach
  void stop() {
    engine.close();
    extenders.close();
  }

  /** Returns the response of the recorded extender. */
  private synchronized Reply answer(String path, JsonNode body) {
    requests.add(AdvisedEngine.JSON.createObjectNode().put("path", path).set("body", body));
    return expected.stream()
        .filter(call -> call.path("path").asText().equals(path))
        .filter(call -> nodesOf(expanded(call).get("body")).equals(nodesOf(body)))
        .findFirst()
        .map(call -> new Reply(200, answer(call).toString()))
        .orElseGet(() -> new Reply(500, "{}"));
  }

  private JsonNode answer(JsonNode call) {
    JsonNode answer = call.get("answer").deepCopy();
    if (answer.path("Nodes").path("items") instanceof ArrayNode items) {
      replaceNames(items);
    }
    return answer;
  }

  private static List<String> nodesOf(JsonNode body) {
    List<String> names = new ArrayList<>();
    body.path("NodeNames").forEach(name -> names.add(name.asText()));
    body.path("Nodes").path("items").forEach(node -> names.add(nameOf(node)));
    names.sort(null);
    return names;
  }

  private static String nameOf(JsonNode object) {
    return object.path("metadata").path("name").asText();
  }

  private JsonNode attempt(String what) {
    for (JsonNode attempt : recording.get("attempts")) {
      if (attempt.path("what").asText().equals(what)) {
        return attempt;
      }
    }
    throw new IllegalArgumentException(what);
  }

  /** Makes the decision on a pod, and compares the requests with the recorded ones. */
  private Decision replay(String what) {
    JsonNode attempt = attempt(what);
    requests.clear();
    expected = new ArrayList<>();
    attempt.get("calls").forEach(expected::add);
    engine.pod(attempt.get("pod"));

    Decision decision = engine.decision();

    if (decision instanceof Decision.Placed placed && placed.binder().isPresent()) {
      CompletableFuture<OtherBinder.Result> bound = new CompletableFuture<>();
      engine.advisor().binding().bind(placed, bound::complete);
      assertThat(bound.orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo(new OtherBinder.Bound());
    }
    List<JsonNode> wanted = new ArrayList<>();
    for (JsonNode call : attempt.get("calls")) {
      ObjectNode request = expanded(call);
      if (request.get("body").path("Pod").isTextual()) {
        ((ObjectNode) request.get("body")).set("Pod", asSent(attempt.get("pod")));
      }
      wanted.add(request);
    }
    assertThat(inOrder(requests)).as(what).isEqualTo(inOrder(wanted));
    return decision;
  }

  /** Returns a recorded request with its objects inserted. */
  private ObjectNode expanded(JsonNode call) {
    ObjectNode request = AdvisedEngine.JSON.createObjectNode();
    request.set("path", call.get("path"));
    request.set("body", call.get("body").deepCopy());
    if (request.get("body").path("Nodes").path("items") instanceof ArrayNode items) {
      replaceNames(items);
    }
    for (JsonNode victims : request.get("body").path("NodeNameToVictims")) {
      replace((ArrayNode) victims.get("Pods"), this::victim);
    }
    return request;
  }

  private void replaceNames(ArrayNode items) {
    replace(
        items,
        name -> {
          for (JsonNode node : recording.get("nodes")) {
            if (nameOf(node).equals(name)) {
              return node;
            }
          }
          throw new IllegalArgumentException(name);
        });
  }

  private JsonNode victim(String uid) {
    for (JsonNode pod : attempt("urgent is to preempt").get("placed")) {
      if (pod.path("metadata").path("uid").asText().equals(uid)) {
        return asSent(pod);
      }
    }
    throw new IllegalArgumentException(uid);
  }

  private static void replace(ArrayNode list, Function<String, JsonNode> written) {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i).isTextual()) {
        list.set(i, written.apply(list.get(i).asText()));
      }
    }
  }

  /** Returns a pod from the API server in the form in which kube-scheduler sends it. */
  private static JsonNode asSent(JsonNode pod) {
    ObjectNode sent = pod.deepCopy();
    sent.remove(List.of("kind", "apiVersion"));
    ((ObjectNode) sent.get("metadata")).remove("managedFields");
    return sent;
  }

  /**
   * Returns the requests in order, except that prioritize requests, which are sent concurrently,
   * are sorted. The order of nodes within a request is up to the scheduler.
   */
  private static List<JsonNode> inOrder(Iterable<? extends JsonNode> requests) {
    List<JsonNode> ordered = new ArrayList<>();
    List<JsonNode> scoring = new ArrayList<>();
    for (JsonNode request : requests) {
      ObjectNode body = (ObjectNode) request.get("body");
      sort(body.path("NodeNames"), Comparator.comparing(JsonNode::asText));
      sort(body.path("Nodes").path("items"), Comparator.comparing(RecordedRequestsTest::nameOf));
      boolean scores = request.path("path").asText().endsWith("/prioritize");
      (scores ? scoring : ordered).add(request);
    }
    scoring.sort(Comparator.comparing(request -> request.path("path").asText()));
    int binding = ordered.size();
    while (binding > 0 && ordered.get(binding - 1).path("path").asText().endsWith("/bind")) {
      binding--;
    }
    ordered.addAll(binding, scoring);
    return ordered;
  }

  private static void sort(JsonNode list, Comparator<JsonNode> order) {
    if (list instanceof ArrayNode items) {
      List<JsonNode> sorted = new ArrayList<>();
      items.forEach(sorted::add);
      sorted.sort(order);
      items.removeAll();
      items.addAll(sorted);
    }
  }

  /** Binds the pod to the node on the API server. */
  private void bind(String what, String nodeName) {
    ObjectNode pod = attempt(what).get("pod").deepCopy();
    ((ObjectNode) pod.get("spec")).put("nodeName", nodeName);
    engine.pod(pod);
  }

  private void place(String what, String nodeName) {
    assertThat(replay(what))
        .isInstanceOfSatisfying(
            Decision.Placed.class,
            placed -> {
              assertThat(placed.nodeName()).as(what).isEqualTo(nodeName);
              engine.apply(new ClusterEvent.BindingConfirmed(placed.pod()));
            });
    bind(what, nodeName);
  }

  @Test
  void requests_theirOrderAndTheirFields_areThoseOfKubeScheduler() {
    place("plain", "node-3");
    place("card", "node-3");
    place("single", "node-2");

    Decision nowhere = replay("nowhere");
    assertThat(nowhere).isInstanceOf(Decision.Unschedulable.class);
    assertThat(nowhere.record().message())
        .startsWith("0/3 nodes are available: 3 not today. preemption: 0/3 nodes are available:");
    engine.remove(attempt("nowhere").get("pod"));

    assertThat(replay("error"))
        .isInstanceOfSatisfying(
            Decision.Unschedulable.class,
            error -> assertThat(error.message()).contains("the licence server is down"));
    engine.remove(attempt("error").get("pod"));

    place("license", "node-3");
    place("filler-1", "node-3");
    place("filler-2", "node-1");
    place("filler-3", "node-2");
    attempt("urgent is to preempt").get("placed").forEach(engine::pod);

    assertThat(replay("urgent is to preempt"))
        .isInstanceOfSatisfying(
            Decision.Nominated.class,
            nominated -> assertThat(nominated.nodeName()).isIn("node-2", "node-3"));

    engine.remove(pod("filler-1"));
    place("urgent has its promised node", "node-3");

    engine.remove(pod("filler-2"));
    for (JsonNode node : recording.get("nodes")) {
      if (nameOf(node).equals("node-4")) {
        engine.node(node);
      }
    }
    place("second is refused by its promised node", "node-1");
    assertThat(extenders.headers())
        .contains("content-type")
        .doesNotContain("authorization", "cookie");
  }

  private JsonNode pod(String name) {
    assertThat(FILLERS).contains(name);
    return attempt(name).get("pod");
  }
}
