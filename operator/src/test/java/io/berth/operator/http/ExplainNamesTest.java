package io.berth.operator.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.serving.http.HttpAnswer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Only valid object names are accepted, because a replica builds a URL from them to call the
 * leader.
 */
class ExplainNamesTest {

  private final List<String> asked = new CopyOnWriteArrayList<>();

  private HttpResponse<String> get(String path) throws Exception {
    OperationsServer.Parts parts =
        new OperationsServer.Parts(
            new Health(),
            Optional.empty(),
            () -> "",
            (namespace, pod, json, fromReplica) -> {
              asked.add(namespace + "/" + pod);
              return HttpAnswer.text(200, "explained");
            },
            address -> false);
    try (OperationsServer server = OperationsServer.startPlain(0, parts);
        HttpClient client = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
      return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void anError_isAStatus_forClientsThatAskForJson() throws Exception {
    OperationsServer.Parts parts =
        new OperationsServer.Parts(
            new Health(),
            Optional.empty(),
            () -> "",
            (namespace, pod, json, fromReplica) -> HttpAnswer.text(404, "there is no decision"),
            address -> false);
    try (OperationsServer server = OperationsServer.startPlain(0, parts);
        HttpClient client = HttpClient.newHttpClient()) {
      String url = "http://127.0.0.1:" + server.port() + "/explain/default/web";
      HttpResponse<String> json = asking(client, url, "application/json, */*");
      assertThat(json.statusCode()).isEqualTo(404);
      assertThat(json.headers().firstValue("Content-Type")).contains("application/json");
      assertThat(new ObjectMapper().readTree(json.body()))
          .isEqualTo(
              new ObjectMapper()
                  .readTree(
                      """
                      {"kind": "Status", "apiVersion": "v1", "status": "Failure",
                       "message": "there is no decision", "code": 404}
                      """));
      assertThat(asking(client, url, "text/plain").body()).isEqualTo("there is no decision\n");
      assertThat(asking(client, url + "?output=text", "application/json").body())
          .isEqualTo("there is no decision\n");
    }
  }

  private static HttpResponse<String> asking(HttpClient client, String url, String accept)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(url)).header("Accept", accept).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void podThatCanBe_isExplained() throws Exception {
    assertThat(get("/explain/default/web-0.a").body()).isEqualTo("explained\n");
    assertThat(asked).containsExactly("default/web-0.a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-web", "Web", "a..b", "web.", "web@host", "web%3Fwatch=true"})
  void whatCanBeNoName_isNotAskedFor(String pod) throws Exception {
    assertThat(get("/explain/default/" + pod).statusCode()).isEqualTo(404);
    assertThat(asked).isEmpty();
  }
}
