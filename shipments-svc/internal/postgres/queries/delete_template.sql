DELETE FROM mapping_templates WHERE organization_id = $1 AND id = $2 RETURNING id
