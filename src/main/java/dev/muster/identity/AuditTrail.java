package dev.muster.identity;

import dev.muster.platform.http.RequestIdFilter;
import dev.muster.platform.postgres.CommitAttachment;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Writes one row for each change by the admin or an operator (R1.7). The row is stored in the
 * transaction of the change. A request that may change data is given its row when it is admitted. A
 * request that commits nothing leaves no row. Reads and requests of agents are not recorded.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 11)
public class AuditTrail extends HttpFilter {

  private static final Logger log = LoggerFactory.getLogger(AuditTrail.class);
  private static final int MAX_TARGETS = 1000;
  private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  private final transient AuditRepository repository;
  private final transient TransactionTemplate transactions;

  AuditTrail(AuditRepository repository, TransactionTemplate transactions) {
    this.repository = repository;
    this.transactions = transactions;
  }

  /** The audit row of the running request, stored in its first transaction that commits. */
  private static final class Entry extends CommitAttachment {

    private final AuditRepository repository;
    private final AuditRepository.Action action;
    private @Nullable String detail;

    Entry(AuditRepository repository, AuditRepository.Action action) {
      this.repository = repository;
      this.action = action;
    }

    @Override
    protected void store(JdbcTemplate statements, List<CommitAttachment> all) {
      repository.insert(
          statements,
          all.stream().map(Entry.class::cast).map(one -> one.action.with(one.detail)).toList());
    }
  }

  /**
   * Adds a target to the running request's audit row, up to 1,000. The ids of the request's path
   * are added on admission. Without an audit row it does nothing.
   */
  public static void addTarget(Object id) {
    if (CommitAttachment.current() instanceof Entry entry
        && entry.action.targets().size() < MAX_TARGETS) {
      entry.action.targets().add(id.toString());
    }
  }

  /**
   * Adds a description of the running request's change to its audit row, for changes that the route
   * and the targets do not describe.
   */
  public static void describe(String detail) {
    if (CommitAttachment.current() instanceof Entry entry) {
      entry.detail = detail;
    }
  }

  /** Returns the id of the running request's audit row, for {@link #recordResult}. */
  public static Optional<UUID> currentId() {
    return CommitAttachment.current() instanceof Entry entry
        ? Optional.of(entry.action.id())
        : Optional.empty();
  }

  /** Replaces the text of {@link #describe} when work that the request began has ended. */
  public void recordResult(UUID actionId, String detail) {
    repository.setDetail(actionId, detail);
  }

  /**
   * Runs a change of one statement. With an audit row, the change and the row share one
   * transaction. Without one, the statement needs no explicit transaction.
   */
  public <R> R change(Supplier<R> work) {
    return CommitAttachment.current() == null
        ? work.get()
        : transactions.execute(status -> work.get());
  }

  /** Attaches an audit row to a non-read request of the admin or an operator. */
  void begin(Caller caller, HttpServletRequest request, HttpServletResponse response) {
    if (READING.contains(request.getMethod())) {
      return;
    }
    switch (caller) {
      case Caller.Admin() -> bind("admin", "admin", null, request, response);
      case Caller.Operator(UUID id, String name) -> bind(name, "operator", id, request, response);
      case Caller.Viewer _, Caller.Agent _, Caller.RemovedAgent _, Caller.Anonymous _ -> {}
    }
  }

  private void bind(
      String who,
      String role,
      @Nullable UUID credential,
      HttpServletRequest request,
      HttpServletResponse response) {
    Object pattern = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    String route = pattern == null ? request.getRequestURI() : pattern.toString();
    Set<String> targets = new LinkedHashSet<>();
    if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
        instanceof Map<?, ?> ofPath) {
      ofPath.entrySet().stream()
          .sorted(Comparator.comparingInt(one -> route.indexOf("{" + one.getKey() + "}")))
          .forEach(one -> targets.add(String.valueOf(one.getValue())));
    }
    CommitAttachment.bind(
        new Entry(
            repository,
            new AuditRepository.Action(
                UUID.randomUUID(),
                who,
                role,
                credential,
                request.getMethod() + " " + route,
                targets,
                String.valueOf(response.getHeader(RequestIdFilter.HEADER)),
                null)));
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean isRefused = true;
    try {
      chain.doFilter(request, response);
      isRefused = response.getStatus() >= HttpServletResponse.SC_BAD_REQUEST;
    } finally {
      if (isRefused && CommitAttachment.current() instanceof Entry entry && entry.isCommitted()) {
        noteRefusal(entry);
      }
      CommitAttachment.clear();
    }
  }

  /**
   * Marks the stored row as refused. After a failure a new thread tries once more, without the
   * request's deadline.
   */
  private void noteRefusal(Entry entry) {
    CommitAttachment.clear();
    UUID action = entry.action.id();
    try {
      repository.noteRefusal(action);
    } catch (RuntimeException tooLate) {
      Thread.ofVirtual().name("late-refusal").start(() -> noteLateRefusal(action));
    }
  }

  private void noteLateRefusal(UUID action) {
    try {
      repository.noteRefusal(action);
    } catch (RuntimeException databaseFailure) {
      log.warn(
          "the audit records action {} as done, though it was refused: {}",
          action,
          databaseFailure.toString());
    }
  }
}
