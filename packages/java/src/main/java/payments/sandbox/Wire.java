package payments.sandbox;

import java.io.*;
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.*;

/** One HTTP request to a sandbox. */
final class Wire {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).build();

  private Wire() {}

  /** Returns the JSON of the response. Throws {@code SandboxException} and {@code UncheckedIOException}. */
  static Json send(String method, String url, Map<String, String> headers, byte[] body) {
    // The longest wait of the control API takes 600 seconds.
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(660))
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    try {
      HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return read(response.statusCode(), response.headers().firstValue(Platform.REQUEST_ID_HEADER), response.body());
    } catch (IOException error) {
      throw new UncheckedIOException(url + " cannot be reached: " + error.getMessage(), error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + url, error);
    }
  }

  private static Json read(int status, Optional<String> requestId, String text) throws IOException {
    Json value = text.startsWith("{") ? Json.parse(text) : new Json(null);
    if (status < 300 && requestId.isPresent()) return value;
    Json error = value.get("error");
    if (status < 300 || error.get("code").value() == null)
      throw new IOException("it is not a sandbox (HTTP " + status + ")");
    throw new SandboxException(status, error, error.get("message").text(), requestId.orElse(null));
  }
}
