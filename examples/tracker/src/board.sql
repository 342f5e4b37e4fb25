SELECT i.id, i.team_id, i.title, i.status, i.priority, i.due, m.name AS assignee, m.user_id,
    (SELECT count(*) FROM checklist_items c WHERE c.issue_id = i.id AND c.team_id = i.team_id AND NOT c.done) AS open_items
FROM issues i LEFT JOIN members m ON m.id = i.assignee_id AND m.team_id = i.team_id AND m.deleted_at IS NULL
WHERE i.deleted_at IS NULL AND i.status <> 'done'
