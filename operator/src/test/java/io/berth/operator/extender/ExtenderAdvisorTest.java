package io.berth.operator.extender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.AdviceRequest;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.decision.Rejection;
import io.berth.engine.model.PodRef;
import io.berth.operator.api.ScriptedServer;
import io.berth.operator.api.ScriptedServer.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Extenders as in real clusters: slow, unavailable, imprecise, or wrong. */
class ExtenderAdvisorTest {
  private final Map<String, Function<JsonNode, Reply>> answers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final CountDownLatch hanging = new CountDownLatch(1);
  private AdvisedEngine engine;
  private ScriptedServer server;

  @BeforeEach
  void twoNodes() throws IOException {
    engine = new AdvisedEngine("berth");
    server = new ScriptedServer(this::answer);
    engine.node(node("n1"));
    engine.node(node("n2"));
  }

  @AfterEach
  void stop() {
    hanging.countDown();
    engine.close();
    server.close();
  }

  private Reply answer(String path, JsonNode body) {
    asked.add(path);
    return answers.getOrDefault(path, any -> new Reply(404, "")).apply(body);
  }

  private void answers(String path, String json) {
    answers.put(path, body -> new Reply(200, json.replace('\'', '"')));
  }

  private Reply hang() {
    try {
      hanging.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new Reply(200, "{}");
  }

  /** Serves extenders whose URLs begin with {@code URL}. */
  private void serve(String extenders) {
    engine.serve(extenders.replace("URL", server.url()).replace('\'', '"'));
  }

  private static JsonNode json(String json) {
    try {
      return AdvisedEngine.JSON.readTree(json.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static JsonNode node(String name) {
    return json(
        "{'kind':'Node','apiVersion':'v1','metadata':{'name':'%s','uid':'uid-%s'},'status':{'allocatable':{'cpu':'4','memory':'8Gi','pods':'10'}}}"
            .formatted(name, name));
  }

  private static JsonNode pod(String name, String requests) {
    return json(
        ("{'kind':'Pod','apiVersion':'v1','metadata':{'name':'%s','namespace':'team','uid':'uid-%s'},"
             + "'spec':{'schedulerName':'berth','containers':[{'name':'main','resources':{'requests':{%s}}}]},'status':{'phase':'Pending'}}")
            .formatted(name, name, requests));
  }

  private Decision decide() {
    engine.pod(pod("web", "'cpu':'1'"));
    return engine.decision();
  }

  private String message() {
    Decision decision = decide();
    assertThat(decision).isInstanceOf(Decision.Unschedulable.class);
    return ((Decision.Unschedulable) decision).message();
  }

  @Test
  void namesOfFields_areReadWhateverTheirCase() {
    serve("[{'urlPrefix':'URL/e','filterVerb':'filter','nodeCacheCapable':true}]");
    answers("/e/filter", "{'nodenames':['n2'],'failedNodes':{'n1':'no'},'error':'','more':1}");

    assertThat(((Decision.Placed) decide()).nodeName()).isEqualTo("n2");
  }

  @Test
  void theRecord_showsEachExtendersVerdictsAndScores() {
    serve(
        "[{'urlPrefix':'URL/a','filterVerb':'f','prioritizeVerb':'p','weight':2,'nodeCacheCapable':true},"
            + "{'urlPrefix':'URL/b','prioritizeVerb':'p','weight':3,'nodeCacheCapable':true}]");
    engine.node(node("n3"));
    answers("/a/f", "{'NodeNames':['n1','n2'],'FailedNodes':{'n3':'card 0 is hot'}}");
    answers("/a/p", "[{'Host':'n1','Score':1},{'Host':'n2','Score':10}]");
    answers("/b/p", "[{'host':'n1','score':5},{'Host':'elsewhere','Score':9}]");

    Decision decision = decide();

    assertThat(decision.record().rejections())
        .containsExactly(new Rejection(server.url() + "/a", "card 0 is hot", true, 1));
    NodeScore best = decision.record().bestNodes().getFirst();
    assertThat(best.node()).isEqualTo("n2");
    assertThat(best.plugins())
        .contains(
            new PluginScore(server.url() + "/a", 100, 100, 2),
            new PluginScore(server.url() + "/b", 0, 0, 3));
  }

  @Test
  void anExtenderThatHangs_isGivenUpAfterItsTimeout_andNamed() {
    serve("[{'urlPrefix':'URL/slow','filterVerb':'filter','httpTimeout':'200ms'}]");
    answers.put("/slow/filter", body -> hang());

    assertThat(message())
        .isEqualTo(
            "extender %s/slow of SchedulingPolicy \"batch\", asked to filter nodes (POST %s/slow/filter), did not answer within 200 ms. The pod waits for it: check that it runs, raise its httpTimeout, or mark it ignorable"
                .formatted(server.url(), server.url()));
    assertThat(engine.metrics().page())
        .contains("berth_extender_errors_total{extender=\"" + server.url() + "/slow\"")
        .contains("reason=\"timeout\"")
        .contains("berth_extender_duration_seconds_count{extender=\"" + server.url() + "/slow\"");
  }

  @Test
  void otherPods_arePlacedWhileAnExtenderHangs() {
    serve(
        "[{'urlPrefix':'URL/slow','filterVerb':'filter','managedResources':[{'name':'example.com/card','ignoredByScheduler':true}]}]");
    answers.put("/slow/filter", body -> hang());
    engine.pod(pod("card", "'example.com/card':'1'"));
    assertThat(engine.next()).isInstanceOf(AdviceRequest.class);

    assertThat(decide()).isInstanceOf(Decision.Placed.class);
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[] | the response must be a JSON object",
        "{'NodeNames':'n1'} | NodeNames must be a list",
        "{'NodeNames':[1]} | NodeNames[0] must be a string",
        "{'NodeNames':['n9']} | it names node \"n9\", which is not in the request",
        "{'FailedNodes':['n1']} | FailedNodes must be a JSON object",
        "not JSON | the body is not JSON",
      })
  void anAnswerThatIsNonsense_isRefusedWithItsPlace(String answer, String words) {
    serve("[{'urlPrefix':'URL/e','filterVerb':'filter','nodeCacheCapable':true}]");
    answers("/e/filter", answer);

    assertThat(message())
        .contains("returned an invalid response: " + words)
        .endsWith("make it follow kube-scheduler's extender protocol (v1)");
  }

  @Test
  void namesFromAnExtenderThatWasSentNodes_areRefused() {
    serve("[{'urlPrefix':'URL/e','filterVerb':'filter'}]");
    answers("/e/filter", "{'NodeNames':['n1']}");

    assertThat(message()).contains("which requires nodeCacheCapable");
  }

  @Test
  void anEmptyListWithAnError_isAnError() {
    serve("[{'urlPrefix':'URL/e','filterVerb':'filter','nodeCacheCapable':true}]");
    answers("/e/filter", "{'NodeNames':[],'Error':'the inventory is empty'}");

    assertThat(message())
        .contains("asked to filter nodes", "reported: the inventory is empty")
        .endsWith("check its log");
  }

  @Test
  void anEmptyListWithoutAReason_rejectsTheNodesByName() {
    serve("[{'urlPrefix':'URL/e','filterVerb':'filter','nodeCacheCapable':true}]");
    answers("/e/filter", "{'NodeNames':[]}");

    assertThat(message())
        .startsWith(
            "0/2 nodes are available: 2 node(s) were rejected by extender " + server.url() + "/e.");
  }

  @Test
  void anHttpError_isNamedWithItsCode() {
    serve("[{'urlPrefix':'URL/e','filterVerb':'filter'}]");
    answers.put("/e/filter", body -> new Reply(500, "stack trace"));

    assertThat(message()).contains("answered with HTTP 500").doesNotContain("stack trace");
  }

  @Test
  void anExtenderThatIsDown_isNamedAsUnreachable() {
    serve("[{'urlPrefix':'http://127.0.0.1:1/e','filterVerb':'filter'}]");

    assertThat(message())
        .contains("http://127.0.0.1:1/e", "cannot be reached", "check its urlPrefix");
  }

  @Test
  void anExtenderOnTheLocalLink_isNotReached() {
    // The address is in decimal, so that only its resolution shows that it is link-local.
    serve("[{'urlPrefix':'http://2852039166/latest','filterVerb':'meta-data'}]");

    assertThat(message()).contains("cannot be reached");
  }

  @Test
  void anIgnorableExtenderThatFails_isPassedOver_andTheRecordSaysSo() {
    serve(
        "[{'urlPrefix':'URL/e','filterVerb':'filter','ignorable':true,'nodeCacheCapable':true},"
            + "{'urlPrefix':'URL/f','filterVerb':'filter','nodeCacheCapable':true}]");
    answers("/f/filter", "{'NodeNames':['n1']}");

    Decision decision = decide();

    assertThat(((Decision.Placed) decision).nodeName()).isEqualTo("n1");
    assertThat(asked).containsExactly("/f/filter", "/e/filter");
    assertThat(decision.record().notes())
        .containsExactly(
            "extender %s/e of SchedulingPolicy \"batch\", asked to filter nodes (POST %s/e/filter), answered with HTTP 404; the pod was placed without it"
                .formatted(server.url(), server.url()));
  }

  @Test
  void anExtenderThatCannotScore_givesNoScores() {
    serve("[{'urlPrefix':'URL/e','prioritizeVerb':'p','weight':1}]");
    answers("/e/p", "[{'Host':'n1','Score':1.5}]");

    Decision decision = decide();

    assertThat(decision).isInstanceOf(Decision.Placed.class);
    assertThat(decision.record().notes())
        .singleElement()
        .asString()
        .contains("[0].Score must be a whole number");
  }

  @Test
  void extendersAfterOneThatLeavesNothing_areNotAsked_norIsAnybodyForScores() {
    serve(
        "[{'urlPrefix':'URL/a','filterVerb':'f','nodeCacheCapable':true},"
            + "{'urlPrefix':'URL/b','filterVerb':'f','prioritizeVerb':'p','nodeCacheCapable':true}]");
    answers("/a/f", "{'NodeNames':[],'FailedAndUnresolvableNodes':{'n1':'never','n2':'never'}}");

    assertThat(message()).startsWith("0/2 nodes are available: 2 never.");
    assertThat(asked).containsExactly("/a/f");
  }

  @Test
  void aPodThatCannotBeRead_waits_andTheExtenderIsNotBlamed() throws IOException {
    serve("[{'urlPrefix':'URL/e','filterVerb':'f'}]");
    engine.pod(pod("web", "'cpu':'1'"));
    engine.forgetOnServer("web");

    Decision decision = engine.decision();

    assertThat(((Decision.Unschedulable) decision).message()).isEqualTo("pod team/web is gone");
    assertThat(asked).isEmpty();
  }

  @Test
  void whenTheTermIsOver_nothingIsSent() {
    serve("[{'urlPrefix':'URL/e','filterVerb':'f'}]");
    engine.advisor().close();

    assertThat(message()).contains("is no longer called");
    assertThat(asked).isEmpty();
    assertThat(engine.api().headers()).contains("host");
  }

  @Test
  void victimsThatAnExtenderInvents_areNotEvicted() {
    serve("[{'urlPrefix':'URL/e','preemptVerb':'p','nodeCacheCapable':true}]");
    for (String node : List.of("n1", "n2")) {
      JsonNode low = pod("low-" + node, "'cpu':'4'");
      ((ObjectNode) low.get("spec")).put("nodeName", node).put("priority", 1);
      engine.pod(low);
    }
    answers("/e/p", "{'NodeNameToMetaVictims':{'n1':{'Pods':[{'UID':'uid-of-nobody'}]}}}");
    JsonNode urgent = pod("urgent", "'cpu':'2'");
    ((ObjectNode) urgent.get("spec")).put("priority", 10);
    engine.pod(urgent);

    Decision decision = engine.decision();

    assertThat(((Decision.Unschedulable) decision).message())
        .startsWith("0/2 nodes are available: 2 Insufficient cpu. preemption: extender ")
        .contains("it selects a pod with UID \"uid-of-nobody\" on node \"n1\"");
  }

  @Test
  void anAnswerAfterTheTimeout_changesNothing() {
    serve("[{'urlPrefix':'URL/slow','filterVerb':'f','httpTimeout':'100ms'}]");
    answers.put("/slow/f", body -> hang());
    assertThat(message()).contains("did not answer within 100 ms");

    hanging.countDown();
    engine.later(Duration.ofSeconds(1));
    answers("/slow/f", "{'Nodes':{'items':[{'metadata':{'name':'n1'}}]}}");

    await().untilAsserted(() -> assertThat(asked).hasSize(1));
    assertThat(((Decision.Placed) engine.decision()).nodeName()).isEqualTo("n1");
    engine.apply(new ClusterEvent.PodRemoved(new PodRef("team", "web", "uid-web")));
  }
}
