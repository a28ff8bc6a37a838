package io.berth.demo.story;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The columns that kubectl prints, requested as a server-side Table. */
final class ColumnTable {
  private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
  private static final int SECONDS = 10;

  private ColumnTable() {}

  /** Returns the column names of one of Berth's resources, across all namespaces. */
  static List<String> columns(KubernetesClient client, String resource)
      throws InterruptedException, ExecutionException, TimeoutException, JsonProcessingException {
    HttpRequest request =
        client
            .getHttpClient()
            .newHttpRequestBuilder()
            .uri(client.getMasterUrl() + "apis/sched.cloud.ctrip.com/v1/" + resource)
            .setHeader("Accept", TABLE)
            .build();
    HttpResponse<String> answer =
        client.getHttpClient().sendAsync(request, String.class).get(SECONDS, TimeUnit.SECONDS);
    List<String> names = new ArrayList<>();
    for (JsonNode column : new ObjectMapper().readTree(answer.body()).path("columnDefinitions")) {
      names.add(column.path("name").asText());
    }
    return names;
  }
}
