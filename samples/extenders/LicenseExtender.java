import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An extender for licenses that are tied to machines: pods that request a license go to the
 * machines that hold one, and rather to the first of them. Run it with {@code java
 * LicenseExtender.java PORT NODE...}; it needs nothing but a JDK.
 *
 * <p>It is nodeCacheCapable, so that it is sent names alone: {@code {"Pod": …, "Nodes": null,
 * "NodeNames": ["node-a-1", …]}}.
 */
public final class LicenseExtender {
  private static final Pattern NAMES = Pattern.compile("\"NodeNames\"\\s*:\\s*\\[([^\\]]*)\\]");
  private static final Pattern NAME = Pattern.compile("\"([^\"]+)\"");

  private final List<String> licensed;

  private LicenseExtender(List<String> licensed) {
    this.licensed = licensed;
  }

  public static void main(String[] args) throws IOException {
    LicenseExtender extender = new LicenseExtender(List.of(args).subList(1, args.length));
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(args[0])), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/licenses/filter", exchange -> answer(exchange, extender::filter));
    server.createContext(
        "/licenses/prioritize", exchange -> answer(exchange, extender::prioritize));
    server.start();
    System.out.println("Licences are on " + extender.licensed);
  }

  private String filter(List<String> nodes) {
    Set<String> kept = nodes.stream().filter(licensed::contains).collect(Collectors.toSet());
    String failed =
        nodes.stream()
            .filter(node -> !kept.contains(node))
            .map(node -> "\"%s\":\"machine(s) without a license\"".formatted(node))
            .collect(Collectors.joining(","));
    String names = kept.stream().map("\"%s\""::formatted).collect(Collectors.joining(","));
    return "{\"NodeNames\":[%s],\"FailedAndUnresolvableNodes\":{%s}}".formatted(names, failed);
  }

  private String prioritize(List<String> nodes) {
    return nodes.stream()
        .map(
            node ->
                "{\"Host\":\"%s\",\"Score\":%d}"
                    .formatted(node, Math.max(0, 10 - 5 * licensed.indexOf(node))))
        .collect(Collectors.joining(",", "[", "]"));
  }

  private interface Question {
    String answer(List<String> nodes);
  }

  private static void answer(HttpExchange exchange, Question question) throws IOException {
    try (exchange) {
      String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      List<String> nodes = new ArrayList<>();
      Matcher list = NAMES.matcher(request);
      if (list.find()) {
        NAME.matcher(list.group(1)).results().forEach(name -> nodes.add(name.group(1)));
      }
      byte[] answer = question.answer(nodes).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
