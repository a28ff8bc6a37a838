package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists, paginated lists, watches, and their resourceVersions. */
class ListAndWatchTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private Sandbox sandbox;
  private TestClient client;

  @BeforeEach
  void start() {
    sandbox = Sandbox.start(SandboxOptions.defaults().withHistory(8));
    client = new TestClient(sandbox);
  }

  @AfterEach
  void stop() {
    sandbox.close();
  }

  private String create(String name) {
    TestClient.Reply reply =
        client.post(
            MAPS,
            "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"n\":\"%s\"}}}".formatted(name, name));
    assertThat(reply.code()).isEqualTo(201);
    return reply.body().at("/metadata/resourceVersion").asText();
  }

  private List<JsonNode> watch(String parameters) throws IOException, InterruptedException {
    List<JsonNode> events = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                client.stream(MAPS + "?watch=true&timeoutSeconds=1" + parameters),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        events.add(Json.MAPPER.readTree(line));
      }
    }
    return events;
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.path("items").forEach(item -> names.add(item.at("/metadata/name").asText()));
    return names;
  }

  private static List<String> received(List<JsonNode> events) {
    return events.stream()
        .map(
            event -> event.path("type").asText() + " " + event.at("/object/metadata/name").asText())
        .toList();
  }

  @Test
  void partsOfAList_showOneMoment() {
    List.of("a", "b", "c").forEach(this::create);

    JsonNode first = client.get(MAPS + "?limit=2").body();
    client.delete(MAPS + "/c");
    create("d");
    JsonNode second =
        client
            .get(
                MAPS
                    + "?limit=2&continue="
                    + URLEncoder.encode(
                        first.at("/metadata/continue").asText(), StandardCharsets.UTF_8))
            .body();

    assertThat(names(first)).containsExactly("a", "b");
    assertThat(first.at("/metadata/remainingItemCount").asInt()).isEqualTo(1);
    assertThat(names(second)).containsExactly("c");
    assertThat(second.at("/metadata/resourceVersion"))
        .isEqualTo(first.at("/metadata/resourceVersion"));
  }

  @Test
  void partsOfAList_thatAreTooOldAreGone() {
    List.of("a", "b").forEach(this::create);
    String token = client.get(MAPS + "?limit=1").body().at("/metadata/continue").asText();
    for (int i = 0; i < 9; i++) {
      create("more" + i);
    }

    TestClient.Reply reply = client.get(MAPS + "?limit=1&continue=" + token);

    assertThat(reply.code()).isEqualTo(410);
    assertThat(reply.body().path("reason").asText()).isEqualTo("Expired");
  }

  @Test
  void exactVersion_showsThePast() {
    String version = create("a");
    create("b");

    JsonNode list =
        client.get(MAPS + "?resourceVersion=" + version + "&resourceVersionMatch=Exact").body();

    assertThat(names(list)).containsExactly("a");
    assertThat(list.at("/metadata/resourceVersion").asText()).isEqualTo(version);
  }

  @Test
  void aVersionFromTheFuture_isATimeout() {
    TestClient.Reply reply = client.get(MAPS + "?resourceVersion=99999");

    assertThat(reply.code()).isEqualTo(504);
    assertThat(reply.body().at("/details/causes/0/reason").asText())
        .isEqualTo("ResourceVersionTooLarge");
  }

  @Test
  void watch_goesOnFromAVersion() throws Exception {
    String version = create("a");
    create("b");
    client.patch(MAPS + "/a", "application/merge-patch+json", "{\"data\":{\"k\":\"v\"}}");
    client.delete(MAPS + "/b");

    assertThat(received(watch("&resourceVersion=" + version)))
        .containsExactly("ADDED b", "MODIFIED a", "DELETED b");
  }

  @Test
  void watch_withoutVersionStartsWithWhatThereIs() throws Exception {
    create("a");

    assertThat(received(watch(""))).containsExactly("ADDED a");
  }

  @Test
  void watch_thatIsTooLateIsGone() throws Exception {
    String version = create("a");
    for (int i = 0; i < 9; i++) {
      create("more" + i);
    }

    List<JsonNode> events = watch("&resourceVersion=" + version);

    assertThat(events).hasSize(1);
    assertThat(events.getFirst().path("type").asText()).isEqualTo("ERROR");
    assertThat(events.getFirst().at("/object/code").asInt()).isEqualTo(410);
    assertThat(events.getFirst().at("/object/reason").asText()).isEqualTo("Expired");
  }

  @Test
  void watchList_endsItsInitialEventsWithABookmark() throws Exception {
    create("a");

    List<JsonNode> events =
        watch("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");

    assertThat(received(events).getFirst()).isEqualTo("ADDED a");
    JsonNode mark = events.get(1);
    assertThat(mark.path("type").asText()).isEqualTo("BOOKMARK");
    assertThat(
            mark.path("object")
                .path("metadata")
                .path("annotations")
                .path("k8s.io/initial-events-end")
                .asText())
        .isEqualTo("true");
  }

  @Test
  void bookmarks_areSentToThoseWhoAskForThem_whereNothingHappens() throws Exception {
    String version = create("a");

    List<JsonNode> events = watch("&allowWatchBookmarks=true&resourceVersion=" + version);

    assertThat(events).hasSize(1);
    assertThat(events.getFirst().path("type").asText()).isEqualTo("BOOKMARK");
    JsonNode mark = events.getFirst().path("object");
    assertThat(mark.path("kind").asText()).isEqualTo("ConfigMap");
    assertThat(mark.path("metadata").path("resourceVersion").asText()).isEqualTo(version);
    assertThat(watch("&resourceVersion=" + version)).isEmpty();
  }

  @Test
  void watchList_withoutBookmarksIsRefused() {
    TestClient.Reply reply =
        client.get(MAPS + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");

    assertThat(reply.code()).isEqualTo(422);
  }

  @Test
  void anObjectThatLeavesTheSelector_isDeletedForTheWatch() throws Exception {
    String version = create("a");
    client.patch(
        MAPS + "/a",
        "application/merge-patch+json",
        "{\"metadata\":{\"labels\":{\"n\":\"other\"}}}");

    assertThat(received(watch("&labelSelector=n%3Da&resourceVersion=" + version)))
        .containsExactly("DELETED a");
  }

  @Test
  void labelSelectors_ofEveryForm() {
    List.of("a", "b", "c").forEach(this::create);

    assertThat(names(client.get(MAPS + "?labelSelector=n%20in%20(a,b)").body()))
        .containsExactly("a", "b");
    assertThat(names(client.get(MAPS + "?labelSelector=n%20notin%20(a,b),n").body()))
        .containsExactly("c");
    assertThat(names(client.get(MAPS + "?labelSelector=n!%3Da").body()))
        .contains("b", "c")
        .doesNotContain("a");
    assertThat(names(client.get(MAPS + "?labelSelector=!n").body())).doesNotContain("a", "b", "c");
    assertThat(client.get(MAPS + "?labelSelector=n%20in").code()).isEqualTo(400);
  }

  @Test
  void fieldSelectors_knowTheirFields() {
    create("a");

    assertThat(names(client.get(MAPS + "?fieldSelector=metadata.name%3Da").body()))
        .containsExactly("a");
    assertThat(client.get(MAPS + "?fieldSelector=data.k%3Dv").code()).isEqualTo(400);
  }

  @Test
  void events_areOneStorageInTwoViews() {
    TestClient.Reply created =
        client.post(
            "/apis/events.k8s.io/v1/namespaces/default/events",
            """
            {"metadata":{"name":"e"},"regarding":{"kind":"Pod","name":"p","namespace":"default"},"reason":"Scheduled",
             "note":"done","type":"Normal","eventTime":"2026-01-01T00:00:00.000000Z","action":"Binding",
             "reportingController":"berth","reportingInstance":"berth-0"}\
            """);

    assertThat(created.code()).as(created.body().toString()).isEqualTo(201);
    JsonNode core =
        client
            .get(
                "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dp,reason%3DScheduled")
            .body();

    assertThat(core.path("items")).hasSize(1);
    assertThat(core.at("/items/0/message").asText()).isEqualTo("done");
    assertThat(core.at("/items/0/apiVersion").asText()).isEqualTo("v1");
    JsonNode view = client.get("/apis/events.k8s.io/v1/namespaces/default/events/e").body();
    assertThat(view.path("note").asText()).isEqualTo("done");
    assertThat(view.at("/regarding/name").asText()).isEqualTo("p");
  }

  @Test
  void staleUpdates_areConflicts() {
    create("a");
    JsonNode read = client.get(MAPS + "/a").body();
    client.patch(MAPS + "/a", "application/merge-patch+json", "{\"data\":{\"k\":\"v\"}}");

    TestClient.Reply reply = client.put(MAPS + "/a", read);

    assertThat(reply.code()).isEqualTo(409);
    assertThat(reply.body().path("message").asText())
        .isEqualTo(
            "Operation cannot be fulfilled on configmaps \"a\": the object has been modified;"
                + " please apply your changes to the latest version and try again");
  }

  @Test
  void updatesThatChangeNothing_keepTheVersion() {
    String version = create("a");

    TestClient.Reply reply = client.put(MAPS + "/a", client.get(MAPS + "/a").body());

    assertThat(reply.body().at("/metadata/resourceVersion").asText()).isEqualTo(version);
  }
}
